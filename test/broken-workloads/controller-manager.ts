import { join } from 'node:path';
import { cacheDirectory, controllerManager, type Environment, findOrBuild, isExecutable } from '../harness/binaries.js';
import { type Daemon, startDaemon } from '../harness/process.js';

/** The controllers that run: those of workloads and of what their pods need. */
const controllers = [
  'daemonset-controller',
  'deployment-controller',
  'garbage-collector-controller',
  'job-controller',
  'namespace-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
  'resourcequota-controller',
  'serviceaccount-controller',
  'statefulset-controller',
];

/**
 * Returns the path of the controller manager, which is built once.
 *
 * @returns undefined where it is not in the cache, and `mayBuild` is false or there is no Go.
 */
export async function findControllerManager(environment: Environment, mayBuild: boolean): Promise<string | undefined> {
  const binary = join(cacheDirectory(environment, controllerManager), controllerManager.name);
  if (isExecutable(binary)) return binary;
  if (!mayBuild) return undefined;
  const directory = await findOrBuild(controllerManager, environment, (line) => process.stderr.write(`controller manager: ${line}\n`));
  return directory === undefined ? undefined : join(directory, controllerManager.name);
}

/** Starts the controllers; they are ready when they have created what they create. */
export function startControllerManager(
  binary: string,
  kubeconfig: string,
  directory: string,
  more: { readonly controllers?: readonly string[]; readonly flags?: Readonly<Record<string, string>> } = {},
): Daemon {
  const flags = {
    kubeconfig,
    controllers: [...controllers, ...(more.controllers ?? [])].join(','),
    'leader-elect': 'false',
    'secure-port': '0',
    'authentication-skip-lookup': 'true',
    'kube-api-qps': '200',
    'kube-api-burst': '400',
    ...more.flags,
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return startDaemon(binary, args, join(directory, 'controller-manager.log'));
}
