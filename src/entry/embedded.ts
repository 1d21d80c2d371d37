/** `fieldwise/embedded`: the embedded API server for tests of programs. See docs/embedded.md. */
export {
  type ApiResponse,
  EmbeddedApiServer,
  type EmbeddedApiServerOptions,
  type InProcessRequest,
  type ListenOptions,
  type ServerSnapshot,
} from '../apiserver/index.js';
export type { Cluster, ClusterApplyOptions } from '../kubernetes/cluster.js';
export type * from '../util/platform-types.js';
export { type InProcessOptions, inProcessCluster } from './in-process.js';
