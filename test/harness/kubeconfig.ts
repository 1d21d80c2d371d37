import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, stringify } from 'yaml';

/** What it takes to talk to an API server. */
export interface Connection {
  readonly server: string;
  readonly ca?: string | Buffer | undefined;
  readonly token?: string | undefined;
  readonly certificate?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

export interface TokenConnection {
  readonly server: string;
  readonly ca?: string | Buffer | undefined;
  readonly token?: string | undefined;
  /** That of a client that names none. */
  readonly namespace?: string;
}

export function writeKubeconfig(path: string, connection: TokenConnection): void {
  // Some clients take a plain HTTP server only where the configuration says that this is meant.
  const plain = connection.server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
  const ca = connection.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(connection.ca).toString('base64') };
  const namespace = connection.namespace === undefined ? {} : { namespace: connection.namespace };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: connection.server, ...plain, ...ca } }],
    users: [{ name: 'test', user: { token: connection.token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', ...namespace } }],
    'current-context': 'test',
  };
  writeFileSync(path, stringify(config), { mode: 0o600 });
}

/** Reads the current context. Knows tokens and client certificates, which is what test clusters use. */
export function readKubeconfig(path: string): Connection {
  const config = parse(readFileSync(path, 'utf8'));
  const named = (list: string, member: string, name: string) => {
    const found = config[list]?.find((item: { name: string }) => item.name === name)?.[member];
    if (found === undefined) throw new Error(`${path}: no ${member} named ${name}`);
    return found;
  };
  const context = named('contexts', 'context', config['current-context']);
  const cluster = named('clusters', 'cluster', context.cluster);
  const user = named('users', 'user', context.user);
  const content = (from: Record<string, string>, member: string): Buffer | undefined => {
    const inline = from[`${member}-data`];
    if (inline !== undefined) return Buffer.from(inline, 'base64');
    return from[member] === undefined ? undefined : readFileSync(resolve(dirname(path), from[member]));
  };
  const token = user.token ?? (user.tokenFile && readFileSync(resolve(dirname(path), user.tokenFile), 'utf8').trim());
  const connection = {
    server: cluster.server,
    ca: content(cluster, 'certificate-authority'),
    token,
    certificate: content(user, 'client-certificate'),
    key: content(user, 'client-key'),
  };
  if (!connection.token && !connection.certificate) {
    throw new Error(
      `${path}: user ${context.user} has neither a token nor a client certificate; the tests' own client knows no other way in`,
    );
  }
  return connection;
}
