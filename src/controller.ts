/** `fieldwise/controller`: tools for operators and controllers. See docs/controller.md. */
export type { Cluster } from './cluster/index.js';
export { ApiError } from './cluster/index.js';
export { type ConnectOptions, connect } from './connect.js';
export * from './controller/index.js';
export { FieldwiseError } from './util/error.js';
export type * from './util/platform-types.js';
