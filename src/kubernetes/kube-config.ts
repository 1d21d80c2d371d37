// The build bundles this module: a fifth of the start-up time of loading the client whole, of which nothing else is used.
export { KubeConfig } from '@kubernetes/client-node/dist/config.js';
