import { execCases } from './exec-cases.js';
import type { KubeconfigCase } from './kubeconfig-case.js';
import { networkCases } from './network-cases.js';
import { base64, userAndCluster } from './parts.js';
import { tokenUntil, type World } from './world.js';

const authorized = /^api \| Bearer of-kubeconfig \| no certificate$/;
const oidc = (config: object) => ({ 'auth-provider': { name: 'oidc', config } });
const issuer = ({ certificates }: World) => ({
  'client-id': 'cli',
  'client-secret': 's',
  'idp-issuer-url': 'https://issuer.internal/realm',
  'idp-certificate-authority-data': base64(certificates.authority),
});
const throughProxy = ({ proxies }: World) => ({ HTTPS_PROXY: `http://127.0.0.1:${proxies.http}` });

const credentialCases: readonly KubeconfigCase[] = [
  { name: 'token', works: true, seen: [authorized] },
  {
    name: 'token that the server does not know',
    user: () => ({ token: 'other' }),
    works: false,
    message: /does not accept these credentials \(401/,
  },
  { name: 'token that is a number', user: () => ({ token: 12345 }), works: false, message: /users\[0\]\.user\.token is a number.*quotes/ },
  { name: 'user and password', user: () => ({ username: 'alice', password: 'pa:ss' }), works: true, seen: [/^api \| Basic /] },
  {
    name: 'token beside a password',
    user: () => ({ token: 'of-kubeconfig', username: 'alice', password: 'pa:ss' }),
    works: false,
    message: /user c .*has a token as well as username and password/,
  },
  {
    name: 'tokenFile, relative',
    user: () => ({ tokenFile: 'tok' }),
    files: () => ({ tok: 'of-file\n' }),
    works: true,
    seen: [/Bearer of-file/],
  },
  {
    name: 'tokenFile before a token',
    user: () => ({ token: 'other', tokenFile: 'tok' }),
    files: () => ({ tok: 'of-file' }),
    works: true,
    seen: [/Bearer of-file/],
  },
  {
    name: 'token for a tokenFile that is not there',
    user: () => ({ token: 'of-kubeconfig', tokenFile: 'tok' }),
    works: true,
    seen: [authorized],
  },
  {
    name: 'tokenFile that is not there',
    user: () => ({ tokenFile: 'tok' }),
    works: false,
    message: /tokenFile of the user c, \S+\/tok, does not exist/,
  },
  {
    name: 'tokenFile that is empty',
    user: () => ({ tokenFile: 'tok' }),
    files: () => ({ tok: '\n' }),
    works: false,
    message: /tokenFile of the user c, \S+\/tok, is empty/,
  },
  {
    name: 'tokenFile with two lines',
    user: () => ({ tokenFile: 'tok' }),
    files: () => ({ tok: 'one\ntwo\n' }),
    works: false,
    message: /tokenFile of the user c, \S+\/tok, contains more than one line/,
  },
  {
    name: 'tokenFile that is binary',
    user: () => ({ tokenFile: 'tok' }),
    files: () => ({ tok: 'a\u0000b\u2713' }),
    works: false,
    message: /tokenFile of the user c, \S+\/tok, contains no text that HTTP can send/,
  },
  {
    name: 'client certificate as data',
    user: ({ certificates: { alice } }) => ({ 'client-certificate-data': base64(alice.cert), 'client-key-data': base64(alice.key) }),
    works: true,
    seen: [/^api \| anonymous \| alice$/],
  },
  {
    name: 'client certificate as files, relative',
    user: () => ({ 'client-certificate': 'tls/a.crt', 'client-key': 'tls/a.key' }),
    files: ({ certificates: { alice } }) => ({ 'tls/a.crt': alice.cert, 'tls/a.key': alice.key }),
    works: true,
    seen: [/^api \| anonymous \| alice$/],
  },
  {
    name: 'client certificate and token',
    user: ({ certificates: { bob } }) => ({
      token: 'of-kubeconfig',
      'client-certificate-data': base64(bob.cert),
      'client-key-data': base64(bob.key),
    }),
    works: true,
    seen: [/^api \| Bearer of-kubeconfig \| bob$/],
  },
  {
    name: 'client certificate as data and as a file',
    user: ({ certificates: { alice } }) => ({
      'client-certificate-data': base64(alice.cert),
      'client-certificate': 'a.crt',
      'client-key-data': base64(alice.key),
    }),
    files: ({ certificates: { alice } }) => ({ 'a.crt': alice.cert }),
    works: false,
    message: /user c .*has both client-certificate and client-certificate-data/,
  },
  {
    name: 'client certificate without a key',
    user: ({ certificates: { alice } }) => ({ 'client-certificate-data': base64(alice.cert) }),
    works: false,
    message: /user c .*client certificate without client-key/,
  },
  {
    name: 'client certificate with the key of another',
    user: ({ certificates: { alice, bob } }) => ({ 'client-certificate-data': base64(alice.cert), 'client-key-data': base64(bob.key) }),
    works: false,
    message: /client certificate of the user c of the kubeconfig cannot be used: .*key/,
  },
  {
    name: 'client certificate that is not there',
    user: () => ({ 'client-certificate': 'a.crt', 'client-key': 'a.key' }),
    works: false,
    message: /user c .*names the file \S+\/a.crt as client-certificate, which does not exist/,
  },
  {
    name: 'client certificate that is not base64',
    user: () => ({ 'client-certificate-data': '-----BEGIN', 'client-key-data': 'x' }),
    works: false,
    message: /users\[0\]\.user\.client-certificate-data is not base64/,
  },
  {
    name: 'impersonation with uid, groups and extra',
    user: () => ({
      token: 'of-kubeconfig',
      as: 'eve',
      'as-uid': '7',
      'as-groups': ['a', 'b'],
      'as-user-extra': { 'example.com/scope': ['x', 'y'] },
    }),
    works: true,
    seen: [
      /impersonate-extra-example\.com%2fscope: x \| impersonate-extra-example\.com%2fscope: y \| impersonate-group: a \| impersonate-group: b \| impersonate-uid: 7 \| impersonate-user: eve/i,
    ],
  },
  {
    name: 'groups to impersonate without a user',
    user: () => ({ token: 'of-kubeconfig', 'as-groups': ['a'] }),
    works: false,
    message: /user c .*has as-uid, as-groups or as-user-extra without as/,
  },
  {
    name: 'OIDC token that is valid',
    user: (world) => oidc({ ...issuer(world), 'id-token': tokenUntil(4_000_000_000) }),
    works: true,
    unseen: /issuer/,
  },
  {
    name: 'OIDC token that has expired, and is refreshed',
    user: (world) => oidc({ ...issuer(world), 'id-token': tokenUntil(1), 'refresh-token': 'refresh-1' }),
    environment: throughProxy,
    works: true,
    seen: [/^proxy CONNECT issuer\.internal:443$/, /^issuer \| refresh_token refresh-1/],
  },
  {
    name: 'OIDC token that has expired, and an issuer that refuses',
    user: (world) => oidc({ ...issuer(world), 'id-token': tokenUntil(1), 'refresh-token': 'used' }),
    environment: throughProxy,
    works: false,
    message:
      /id-token of the user c has expired, and https:\/\/issuer\.internal\/realm gives no other: .*400 \(invalid_grant: Token is not active\)/,
  },
  {
    name: 'OIDC token that has expired without a refresh token',
    user: (world) => oidc({ ...issuer(world), 'id-token': tokenUntil(1) }),
    works: false,
    message: /id-token of the user c has expired, and its auth-provider has no refresh-token/,
  },
  {
    name: 'OIDC token that has expired, and an issuer with a password in its URL',
    user: (world) =>
      oidc({
        ...issuer(world),
        'idp-issuer-url': 'https://me:secret-token@issuer.internal:1/realm',
        'id-token': tokenUntil(1),
        'refresh-token': 'refresh-1',
      }),
    works: false,
    message: /has expired, and https:\/\/\*\*\*@issuer\.internal:1\/realm gives no other/,
  },
  {
    name: 'OIDC token that has expired, and an issuer without TLS',
    user: (world) =>
      oidc({
        ...issuer(world),
        'idp-issuer-url': 'http://issuer.internal/realm',
        'id-token': tokenUntil(1),
        'refresh-token': 'refresh-1',
      }),
    environment: (world) => ({ ...throughProxy(world), HTTP_PROXY: `http://127.0.0.1:${world.proxies.http}` }),
    works: false,
    message: /http:\/\/issuer\.internal has no TLS, so a token is not sent there/,
    unlike: 'kubectl trusts an issuer without TLS.',
    unseen: /issuer/,
  },
  {
    name: 'auth-provider gcp',
    user: () => ({
      'auth-provider': {
        name: 'gcp',
        config: {
          'cmd-path': 'gcloud',
          'cmd-args': 'config config-helper --format=json',
          'token-key': '{.credential.access_token}',
          'expiry-key': '{.credential.token_expiry}',
        },
      },
    }),
    works: true,
    seen: [/^api \| Bearer of-exec/],
    unlike: 'kubectl has refused this provider since version 1.26.',
  },
  { name: 'no credentials', user: () => ({}), works: false, message: /does not accept these credentials \(401/ },
  {
    name: 'an auth-provider that nobody knows',
    user: () => ({ 'auth-provider': { name: 'ldap' } }),
    works: false,
    message: /auth-provider ldap of the user c is unknown/,
  },
];

const other = (name: string, member: object) => ({ name, ...member });

const fileCases: readonly KubeconfigCase[] = [
  {
    name: 'two files: the first of a name counts, and the first current context',
    kubeconfig: ['one', 'two'],
    files: (world) => ({
      one: JSON.stringify({
        'current-context': 'c',
        contexts: [other('c', { context: { cluster: 'c', user: 'c' } })],
        users: [other('c', { user: { token: 'of-kubeconfig' } })],
      }),
      two: userAndCluster(world, { user: { token: 'other' }, current: 'elsewhere' }),
    }),
    works: true,
    seen: [authorized],
  },
  {
    name: 'two files, the first of which is not there',
    kubeconfig: ['absent', 'two'],
    files: (world) => ({ two: userAndCluster(world, {}) }),
    works: true,
    seen: [authorized],
  },
  {
    name: 'two files, the first of which is empty',
    kubeconfig: ['one', 'two'],
    files: (world) => ({ one: '', two: userAndCluster(world, {}) }),
    works: true,
    seen: [authorized],
  },
  {
    name: 'paths are relative to their file in each of two directories',
    kubeconfig: ['a/config', 'b/config'],
    files: ({ certificates: { alice, authority }, ports }) => ({
      'a/config': JSON.stringify({
        'current-context': 'c',
        contexts: [other('c', { context: { cluster: 'c', user: 'c' } })],
        clusters: [other('c', { cluster: { server: `https://127.0.0.1:${ports.tls}`, 'certificate-authority': 'ca.crt' } })],
      }),
      'a/ca.crt': authority,
      'b/config': JSON.stringify({ users: [other('c', { user: { 'client-certificate': 'x.crt', 'client-key': 'x.key' } })] }),
      'b/x.crt': alice.cert,
      'b/x.key': alice.key,
    }),
    works: true,
    seen: [/\| alice$/],
  },
  {
    name: 'KUBECONFIG that names no file that exists',
    kubeconfig: ['absent'],
    works: false,
    message: /KUBECONFIG names no file that exists: \S+absent/,
  },
  { name: 'an empty file', text: () => '', works: false, message: /The kubeconfig is empty/ },
  { name: 'a text', text: () => 'YXBpVmVyc2lvbjogdjEK', works: false, message: /it is a text, and not a map/ },
  {
    name: 'a current context that is not in it',
    text: (world) => userAndCluster(world, { current: 'gone' }),
    works: false,
    message: /names no cluster for its current context/,
  },
  {
    name: 'no current context',
    text: (world) => userAndCluster(world, { current: '' }),
    works: false,
    message: /names no cluster for its current context/,
  },
  {
    name: 'a cluster that is not in it',
    text: (world) => userAndCluster(world, { cluster: 'gone' }),
    works: false,
    message: /cluster gone of the context c is not in it/,
  },
  {
    name: 'two users of one name',
    text: (world) => userAndCluster(world, { users: [other('c', { user: {} })] }),
    works: false,
    message: /two of its users have the name c/,
  },
  {
    name: 'a broken cluster that nobody uses',
    text: (world) => userAndCluster(world, { clusters: [{ name: 'broken' }] }),
    works: true,
    seen: [authorized],
  },
];

/** The default kubeconfig as YAML that people write. */
const yaml = (world: World, { head = '', server = '', user = 'token: of-kubeconfig' } = {}) => {
  const { ports, certificates } = world;
  const trust = server === '' ? `certificate-authority-data: ${base64(certificates.authority)}` : server;
  return `${head}
clusters:
- name: c
  cluster:
    server: https://127.0.0.1:${ports.tls}
    ${trust}
users:
- name: c
  user:
    ${user}
contexts:
- name: c
  context: { cluster: c, user: c }
current-context: c
`;
};

const yamlCases: readonly KubeconfigCase[] = [
  {
    name: 'YAML with a comment',
    text: (world) => yaml(world, { head: '# mine\napiVersion: v1\nkind: Config\npreferences: {}' }),
    works: true,
    seen: [authorized],
  },
  {
    name: 'YAML with a byte order mark and CRLF',
    text: (world) => `\ufeff${yaml(world, { head: 'apiVersion: v1' }).replaceAll('\n', '\r\n')}`,
    works: true,
    seen: [authorized],
  },
  { name: 'YAML with an unknown member', text: (world) => yaml(world, { head: 'colors: true' }), works: true, seen: [authorized] },
  {
    name: 'YAML with a member twice',
    text: (world) => yaml(world, { user: 'token: other\n    token: of-kubeconfig' }),
    works: true,
    seen: [authorized],
  },
  { name: 'YAML with a second document', text: (world) => `${yaml(world)}---\nkind: Other\n`, works: true, seen: [authorized] },
  {
    name: 'YAML with an anchor',
    text: (world) => yaml(world, { head: 'x: &t of-kubeconfig', user: 'token: *t' }),
    works: true,
    seen: [authorized],
  },
  { name: 'YAML with yes', text: (world) => yaml(world, { server: 'insecure-skip-tls-verify: yes' }), works: true, seen: [authorized] },
  {
    name: 'YAML with "true" as a text',
    text: (world) => yaml(world, { server: 'insecure-skip-tls-verify: "true"' }),
    works: false,
    message: /insecure-skip-tls-verify is a string, and not true or false/,
  },
  {
    name: 'YAML with a member that is null',
    text: (world) => yaml(world, { user: 'token: of-kubeconfig\n    exec: null\n    auth-provider:\n    as-groups:' }),
    works: true,
    seen: [authorized],
  },
  {
    name: 'YAML of another kind',
    text: (world) => yaml(world, { head: 'apiVersion: v1\nkind: Pod' }),
    works: false,
    message: /it is a Pod of v1, and not a Config of v1/,
  },
  {
    name: 'YAML of another version',
    text: (world) => yaml(world, { head: 'apiVersion: v2\nkind: Config' }),
    works: false,
    message: /it is a Config of v2, and not a Config of v1/,
  },
  {
    name: 'YAML that is broken',
    text: (world) => `${yaml(world)}\n  token: "secret-token`,
    works: false,
    message: /The kubeconfig cannot be read/,
  },
];

/** The table. */
export const cases: readonly KubeconfigCase[] = [...credentialCases, ...fileCases, ...yamlCases, ...networkCases, ...execCases];
