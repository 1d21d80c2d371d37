/** The embedded API server: the Kubernetes REST API with server-side apply, without a cluster. */
export type { ApiRequest, ApiResponse } from './api/request.js';
export type { EmbeddedApiServerOptions } from './embedded-api-server.js';
export { EmbeddedApiServer } from './embedded-api-server.js';
export { kubeconfigText } from './http/kubeconfig.js';
export type { Clock } from './storage/clock.js';
export type { RunningServer } from './storage/running-server.js';
export { announce, runningServer } from './storage/running-server.js';
