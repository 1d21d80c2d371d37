/** The embedded API server: the Kubernetes REST API with server-side apply, without a cluster. */
export type { ApiRequest, ApiResponse } from './api/request.js';
export type { EmbeddedClusterOptions } from './embedded-cluster.js';
export { EmbeddedCluster } from './embedded-cluster.js';
export { kubeconfigText } from './http/kubeconfig.js';
export type { Clock } from './store/clock.js';
export type { RunningServer } from './store/running.js';
export { announce, runningServer } from './store/running.js';
