import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import type { KubeConfig } from './kube-config.js';

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a kubeconfig by the rules of kubectl: the named file or text; otherwise the files of KUBECONFIG, of which some may be absent;
 * otherwise `~/.kube/config`; and the service account of a pod, where none of these has an entry.
 *
 * @throws FieldwiseError `kubeconfig-invalid`, `kubeconfig-missing`.
 */
export async function readKubeConfig(kubeconfig: string | undefined, environment: Environment = process.env): Promise<KubeConfig> {
  const { KubeConfig, homeDirectory } = await import('./kube-config.js');
  if (kubeconfig) return requireClusters(readOne(new KubeConfig(), kubeconfig), isText(kubeconfig) ? undefined : kubeconfig);
  const home = homeDirectory();
  const named = environment.KUBECONFIG
    ? [...new Set(environment.KUBECONFIG.split(path.delimiter))].filter((file) => file !== '')
    : undefined;
  const files = named ?? (home === undefined ? [] : [path.join(home, '.kube', 'config')]);
  const present = files.filter((file) => existsSync(file));
  const config = new KubeConfig();
  for (const file of present) config.mergeConfig(readOne(new KubeConfig(), file));
  if (config.clusters.length > 0) return config;
  const inCluster = readServiceAccount(new KubeConfig(), environment);
  if (inCluster !== undefined) return inCluster;
  if (present.length === 0) throw missing(named);
  return requireClusters(config, present.join(path.delimiter));
}

function isText(kubeconfig: string): boolean {
  return kubeconfig.includes('\n');
}

function readOne(config: KubeConfig, kubeconfig: string): KubeConfig {
  try {
    if (isText(kubeconfig)) config.loadFromString(kubeconfig);
    else config.loadFromFile(kubeconfig);
    return config;
  } catch (cause) {
    // Parsers add an excerpt of the file, which may contain credentials.
    const reason = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0];
    throw new FieldwiseError('kubeconfig-invalid', 'usage', `The kubeconfig cannot be read: ${reason}`, {
      location: isText(kubeconfig) ? {} : { file: kubeconfig },
      next: 'Name a readable kubeconfig with --kubeconfig (library: `kubeconfig`) or KUBECONFIG. One in base64 must be decoded first.',
      cause,
    });
  }
}

function missing(named: readonly string[] | undefined): FieldwiseError {
  const what =
    named === undefined ? 'No kubeconfig was found' : `KUBECONFIG names no file that exists: ${named.join(', ') || 'it is empty'}`;
  return new FieldwiseError('kubeconfig-missing', 'usage', what, {
    next: 'Name one with --kubeconfig (library: `kubeconfig`) or KUBECONFIG, or put it at ~/.kube/config.',
  });
}

function requireClusters(config: KubeConfig, file: string | undefined): KubeConfig {
  if (config.clusters.length > 0) return config;
  const isEmpty = config.contexts.length === 0 && config.users.length === 0;
  throw new FieldwiseError('kubeconfig-invalid', 'usage', `The kubeconfig ${isEmpty ? 'is empty' : 'contains no cluster'}`, {
    location: file === undefined ? {} : { file },
    next: isEmpty
      ? 'In CI, the secret or variable with its content is probably not set, or not available to this job. Elsewhere, name another one with --kubeconfig (library: `kubeconfig`) or KUBECONFIG.'
      : 'Add the cluster to it, or name another one with --kubeconfig (library: `kubeconfig`) or KUBECONFIG.',
  });
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Reads the configuration of a pod. Corrections of the reader: the server has TLS on every port, the variables must be set, the namespace is
 * that of POD_NAMESPACE first, and the token is a file that is read again.
 *
 * @param root a directory in which the files are, for tests.
 * @returns undefined outside of a pod.
 */
export function readServiceAccount(config: KubeConfig, environment: Environment, root = ''): KubeConfig | undefined {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '', POD_NAMESPACE } = environment;
  const file = (name: string) => `${root}${serviceAccount}/${name}`;
  if (host === '' || port === '' || !existsSync(file('token'))) return undefined;
  config.loadFromCluster(root);
  const namespace = POD_NAMESPACE || (existsSync(file('namespace')) ? readFileSync(file('namespace'), 'utf8').trim() : '');
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  config.clusters = config.clusters.map((cluster) => ({ ...cluster, server }));
  config.users = config.users.map(({ name }) => ({ name, tokenFile: file('token') }));
  config.contexts = config.contexts.map((context) => ({ ...context, ...(namespace === '' ? {} : { namespace }) }));
  return config;
}
