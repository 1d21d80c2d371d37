import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { connect, Transport } from '../../../lib/src/kubernetes/index.js';

/*
 * The build bundles the client's reader of kubeconfigs, and has what few of them need loaded when it is called for (codegen/bundle.ts): here is
 * whether that is then there.
 */

const directory = mkdtempSync(path.join(tmpdir(), 'fieldwise-kubeconfig-'));
afterAll(() => rmSync(directory, { recursive: true }));

function kubeconfig(name: string, user: object, cluster: object = {}): string {
  const file = path.join(directory, name);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** A program that prints a text. */
function printing(name: string, text: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`, { mode: 0o755 });
  return file;
}

describe('what few kubeconfigs need', () => {
  test.each([
    ['a proxy', 'http://127.0.0.1:9'],
    ['a SOCKS proxy', 'socks5://127.0.0.1:9'],
  ])('%s', async (name, url) => {
    const transport = new Transport(await connect({ kubeconfig: kubeconfig(name, { token: 't' }, { 'proxy-url': url }) }));
    const error = await transport.send({ method: 'GET', path: '/version' }, { retryTimeoutMs: 100 }).catch((caught: unknown) => caught);
    transport.close();
    // Its own failure of a connection, and not that of a module.
    expect((error as Error).message).toMatch(`the proxy ${url} does not answer: connect ECONNREFUSED`);
  });

  test('an exec plugin', async () => {
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'of-exec' } };
    const exec = { apiVersion: credential.apiVersion, command: printing('exec.sh', JSON.stringify(credential)), interactiveMode: 'Never' };
    const connection = await connect({ kubeconfig: kubeconfig('exec', { exec }) });
    expect(await connection.headers()).toEqual({ Authorization: 'Bearer of-exec' });
  });

  test.each(['gcp', 'azure'])('a command of the auth provider %s', async (name) => {
    const command = printing(`${name}.sh`, JSON.stringify({ credential: { token: 'of-command', expiry: '2999-01-01T00:00:00Z' } }));
    const config = { 'cmd-path': command, 'token-key': '{.credential.token}', 'expiry-key': '{.credential.expiry}', expiry: '2001-01-01' };
    const connection = await connect({ kubeconfig: kubeconfig(name, { 'auth-provider': { name, config } }) });
    expect(await connection.headers()).toEqual({ Authorization: 'Bearer of-command' });
  });

  test('OpenID Connect: the client of issuers, where a token has expired', async () => {
    const expired = `${btoa('{}')}.${btoa('{"exp":1}')}.x`;
    const config = { 'client-id': 'c', 'refresh-token': 'r', 'id-token': expired, 'idp-issuer-url': 'http://127.0.0.1:9/' };
    const error = await connect({ kubeconfig: kubeconfig('oidc', { 'auth-provider': { name: 'oidc', config } }) }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ code: 'authentication-failed', cause: { code: 'ECONNREFUSED' } });
  });
});
