/** `fieldwise/embedded`: the embedded API server for tests of your own. See docs/embedded.md. */
export {
  type ApiRequest,
  type ApiResponse,
  type Clock,
  EmbeddedApiServer,
  type EmbeddedApiServerOptions,
} from '../embedded/index.js';
export type * from '../util/platform-types.js';
export { inProcessCluster } from './in-process.js';
