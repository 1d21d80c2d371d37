/** Beside `fieldwise/embedded`, for the command line: data directories, and servers that run in other processes. */
export type { RunningServer } from '../apiserver/index.js';
export {
  announce,
  createDataDirectory,
  defaultPodReadySeconds,
  EmbeddedApiServer,
  kubeconfigText,
  runningServer,
} from '../apiserver/index.js';
