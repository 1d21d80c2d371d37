/**
 * The embedded API server: the Kubernetes REST API with server-side apply, without a cluster. `ApiServer` is for the planner, which loads
 * objects unchecked; the entry `fieldwise/embedded` does not export it.
 */

export type { ApiRequest, ApiResponse } from './api/request.js';
export { ApiServer } from './api-server.js';
export type { DefinitionReview } from './custom/definition-review.js';
export type { EmbeddedApiServerOptions, ListenOptions } from './embedded-api-server.js';
export { defaultPodReadySeconds, EmbeddedApiServer } from './embedded-api-server.js';
export { kubeconfigText } from './http/kubeconfig.js';
export type { InProcessRequest } from './in-process-request.js';
export type { PolicyDecision } from './policies/index.js';
export type { ReviewedWrite } from './registry/reviewed-write.js';
export type { ServerSnapshot } from './server-snapshot.js';
export { createDataDirectory } from './storage/data-directory.js';
export type { RunningServer } from './storage/running-server.js';
export { announce, runningServer } from './storage/running-server.js';
