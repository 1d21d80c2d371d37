import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Connection } from './bare-loop.js';

/** Reads the connection of the administrator from the kubeconfig of a test server. */
export function connectionOf(kubeconfig: string): Connection {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const { server, 'certificate-authority-data': ca } = config.clusters[0]!.cluster;
  return { server, ca: Buffer.from(ca, 'base64').toString(), authorization: `Bearer ${config.users[0]!.user.token}` };
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}
