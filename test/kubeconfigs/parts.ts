import type { World } from './world.js';

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The default cluster. */
export function trusted({ ports, certificates }: World): object {
  return { server: `https://127.0.0.1:${ports.tls}`, 'certificate-authority-data': base64(certificates.authority) };
}

/** The cluster by a name that only the proxies resolve. */
export function internal({ certificates }: World): object {
  return { server: 'https://cluster.internal', 'certificate-authority-data': base64(certificates.authority) };
}

interface Parts {
  readonly user?: object;
  readonly current?: string;
  /** The cluster that the context names. */
  readonly cluster?: string;
  /** Other entries. */
  readonly users?: readonly object[];
  readonly clusters?: readonly object[];
}

/** Returns a kubeconfig with the default cluster, a user and a context of the name `c`, and other entries. */
export function userAndCluster(world: World, { user, current = 'c', cluster = 'c', users = [], clusters = [] }: Parts): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: trusted(world) }, ...clusters],
    users: [{ name: 'c', user: user ?? { token: 'of-kubeconfig' } }, ...users],
    contexts: [{ name: 'c', context: { cluster, user: 'c' } }],
    'current-context': current,
  });
}
