import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, type Environment, findOnPath, isExecutable } from './binaries.js';

/** Where the tests' API server comes from, in the order in which the harness looks. */
export type ServerChoice =
  | { readonly from: 'KUBECONFIG_TEST'; readonly kubeconfig: string }
  | { readonly from: 'KUBEBUILDER_ASSETS'; readonly directory: string }
  | { readonly from: 'cache'; readonly directory: string }
  | { readonly from: 'build'; readonly directory: string; readonly go: string };

/**
 * Picks the server. What a person names must work: a named source that is not there is an error and not a reason to look
 * further, or the tests would silently run against another server than the one asked for.
 */
export function chooseServer(environment: Environment): ServerChoice {
  const kubeconfig = environment.KUBECONFIG_TEST;
  if (kubeconfig) {
    if (!existsSync(kubeconfig)) throw new Error(`KUBECONFIG_TEST names ${kubeconfig}, which does not exist.`);
    return { from: 'KUBECONFIG_TEST', kubeconfig };
  }
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets) {
    const missing = ['etcd', 'kube-apiserver'].filter((name) => !isExecutable(join(assets, name)));
    if (missing.length > 0) throw new Error(`KUBEBUILDER_ASSETS names ${assets}, which has no executable ${missing.join(' and no ')}.`);
    return { from: 'KUBEBUILDER_ASSETS', directory: assets };
  }
  const directory = cacheDirectory(environment);
  if (isExecutable(join(directory, 'apiserver'))) return { from: 'cache', directory };
  const go = findOnPath('go', environment);
  if (go !== undefined) return { from: 'build', directory, go };
  throw new Error(`No Kubernetes API server to test against. Looked in this order:
  1. KUBECONFIG_TEST: not set. Name the kubeconfig of a cluster that tests may write to.
  2. KUBEBUILDER_ASSETS: not set. Name a directory with envtest's etcd and kube-apiserver.
  3. The cache: no server in ${directory}.
  4. A build: no go on PATH. Install Go to build test/real-apiserver once.`);
}
