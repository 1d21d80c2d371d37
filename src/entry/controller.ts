/** `fieldwise/controller`: tools for operators and controllers. See docs/controller.md. */

export * from '../controller/index.js';
export type { Cluster, ClusterApplyOptions } from '../kubernetes/cluster.js';
export { ApiError } from '../kubernetes/index.js';
export { type ErrorCode, FieldwiseError } from '../util/error.js';
export type * from '../util/platform-types.js';
export { type ConnectOptions, connect, type KubeConfigObject } from './connect.js';
