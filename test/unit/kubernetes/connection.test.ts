import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/kubernetes/index.js';

function kubeconfig(cluster: string, user = '{ token: t }', context = 'c'): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'fieldwise-kubeconfig-')), 'config');
  const text = `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: ${cluster} }]
users: [{ name: u, user: ${user} }]
contexts: [{ name: c, context: { cluster: c, user: u, namespace: shop } }]
current-context: ${context}
`;
  writeFileSync(file, text);
  return file;
}

function written(text: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'fieldwise-kubeconfig-')), 'config');
  writeFileSync(file, text);
  return file;
}

describe('a malformed kubeconfig', () => {
  test.each([
    ['an empty file', '', /^The kubeconfig is empty.*In CI, the secret/],
    ['a file of spaces and comments', ' \n# nothing\n', /^The kubeconfig is empty/],
    ['null', 'null\n', /^The kubeconfig is empty/],
    ['an empty map', '{}', /^The kubeconfig is empty/],
    ['a list', '- a\n- b\n', /it is a list, and not a map/],
    ['a text', 'YXBpVmVyc2lvbjogdjEK', /it is a text, and not a map.*base64/],
    ['no cluster', 'users: [{ name: u, user: { token: t } }]\n', /^The kubeconfig contains no cluster/],
    ['clusters that are a map', 'clusters: { a: b }\n', /its clusters are not a list/],
    ['clusters that are a text', 'clusters: none\n', /its clusters are not a list/],
  ])('%s is an error in words', async (_, text, expected) => {
    const error = await connect({ kubeconfig: written(text) }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'kubeconfig-invalid' });
    const { message, next } = error as { message: string; next: string };
    expect(`${message} ${next}`).toMatch(expected);
    expect(message).not.toMatch(/Cannot read|undefined/);
  });
});

describe('a kubeconfig', () => {
  test('gives server, credentials and namespace', async () => {
    const connection = await connect({ kubeconfig: kubeconfig('{ server: "https://127.0.0.1:6443/" }') });
    expect(connection).toMatchObject({ server: 'https://127.0.0.1:6443', namespace: 'shop', context: 'c' });
    expect(await connection.headers()).toEqual({ Authorization: 'Bearer t' });
  });

  test('as a text instead of a file; an error does not repeat it', async () => {
    const text = readFileSync(kubeconfig('{ server: "https://127.0.0.1:6443" }'), 'utf8');
    expect(await connect({ kubeconfig: text })).toMatchObject({ server: 'https://127.0.0.1:6443', namespace: 'shop' });
    const error = await connect({ kubeconfig: `token: secret-token\n}${text}` }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'kubeconfig-invalid', location: {} });
    expect((error as { describe(): string }).describe()).not.toContain('secret-token');
  });

  test('with name and password', async () => {
    const connection = await connect({ kubeconfig: kubeconfig('{ server: "https://127.0.0.1:6443" }', '{ username: a, password: b }') });
    expect(await connection.headers()).toEqual({ Authorization: `Basic ${Buffer.from('a:b').toString('base64')}` });
  });

  test.each([
    [
      'a context that is not there',
      kubeconfig('{ server: "https://127.0.0.1:1" }'),
      'other',
      /no context other.*one of its contexts .*: c\./,
    ],
    ['a current context that is not there', kubeconfig('{ server: "https://127.0.0.1:1" }', '{}', 'gone'), undefined, /names no cluster/],
    ['a server without TLS', kubeconfig('{ server: "http://10.0.0.1:1" }'), undefined, /without TLS.*insecure-skip-tls-verify/],
    ['a file that is not there', '/nowhere/kubeconfig', undefined, /cannot be read.*\/nowhere\/kubeconfig/],
  ])('%s is one clear error', async (_, file, kubeContext, text) => {
    const error = await connect({ kubeconfig: file, kubeContext }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'kubeconfig-invalid', kind: 'usage' });
    expect((error as { describe(): string }).describe()).toMatch(text);
  });

  test.each([
    [
      'no JSON',
      'secret-token',
      /credentials of the kubeconfig do not work: the command .* prints no credential: the content is neither JSON nor YAML with members/,
    ],
    ['no kind', '{}', /credentials of the kubeconfig do not work.*prints no kind/],
    ['no status', '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"}', /prints neither a token nor a certificate/],
    [
      'a token of two lines',
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"secret-token\\nsecond"}}',
      /the header Authorization would contain characters that HTTP does not allow/,
    ],
  ])('an exec plugin that prints %s is one clear error, without the token', async (_, printed, text) => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', `process.stdout.write(${JSON.stringify(printed)})`],
      interactiveMode: 'Never',
    };
    const file = kubeconfig('{ server: "https://127.0.0.1:1" }', JSON.stringify({ exec }));
    const error = (await connect({ kubeconfig: file }).catch((caught: unknown) => caught)) as { describe(): string };
    expect(error).toMatchObject({ code: 'authentication-failed', kind: 'authentication' });
    expect(error.describe()).toMatch(text);
    expect(error.describe()).not.toContain('secret');
  });
});
