/** The embedded API server: the Kubernetes REST API with server-side apply, without a cluster. */
export type { ApiRequest, ApiResponse } from './api/request.js';
export type { EmbeddedClusterOptions } from './embedded-cluster.js';
export { EmbeddedCluster } from './embedded-cluster.js';
export type { Clock } from './store/clock.js';
export { openData } from './store/data-directory.js';
