import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isPrivateAddress } from '../../../src/util/private-address.js';
import { ImportProject, sharedGateway } from './import-program.js';
import { tarball } from './loopback.js';

const module = 'imports/edge.example.com/v1.ts';
const secrets = ['s3cr3t', 'hunter2', 'AKIA', 'ghp_'];

let project: ImportProject;
const servers: { close: () => Promise<void> }[] = [];
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await project.remove();
});

interface Asked {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** A server that answers each path with a CRD, a redirect, or 404, and remembers who asked. */
async function serving(answer: (path: string) => string | Buffer | { readonly to: string } | undefined) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization });
    const answered = answer((request.url ?? '').split('?')[0] ?? '');
    if (answered === undefined) response.writeHead(404).end();
    else if (typeof answered === 'object' && 'to' in answered) response.writeHead(302, { location: answered.to }).end();
    else response.writeHead(200).end(answered);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/** Everything that an import left behind or said. */
async function traces(run: Promise<{ stdout: string; stderr: string }>): Promise<string> {
  const said = await run.catch((error: { describe: () => string; cause?: unknown }) => ({
    stdout: error.describe(),
    stderr: `${error.cause ?? ''}`,
  }));
  const files = await Promise.all((await project.files('imports')).map((file) => project.read(file)));
  return [said.stdout, said.stderr, ...files].join('\n');
}

function expectNoSecret(text: string): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
}

test('user, password and tokens of an address are used, and stand in no file and no message', async () => {
  const { host, asked } = await serving((path) => (path === '/crd.yaml' ? sharedGateway : undefined));
  const query = '?ref=v1&X-Amz-Signature=s3cr3t&X-Amz-Credential=AKIA1&sig=s3cr3t#s3cr3t';
  expectNoSecret(await traces(project.import([`http://dev:hunter2%40@${host}/crd.yaml${query}`])));
  expect(asked).toEqual([
    { url: '/crd.yaml?ref=v1&X-Amz-Signature=s3cr3t&X-Amz-Credential=AKIA1&sig=s3cr3t', authorization: basic('dev:hunter2@') },
  ]);
  const lock = JSON.parse(await project.read('imports/fieldwise.lock.json'));
  expect(Object.keys(lock.sources)).toEqual([`http://${host}/crd.yaml?ref=v1&X-Amz-Signature=***&X-Amz-Credential=***&sig=***`]);
  // Another signature for the same file is the same source.
  await project.import([`http://${host}/crd.yaml?ref=v1&X-Amz-Signature=other&X-Amz-Credential=b&sig=c`, '--frozen']);
  for (const path of ['/none', '/crd.yaml%ZZ?s3cr3t']) {
    expectNoSecret(await traces(project.import([`http://dev:hunter2@${host}${path}?token=s3cr3t`])));
  }
});

test.each([
  'https://dev:hunter2@ho st/crd.yaml',
  'git+https://dev:hunter2@example.com/crd.yaml?token=s3cr3t',
  'next:=ftp://dev:hunter2@example.com/s3cr3t?s3cr3t'.replace('/s3cr3t', '/crd'),
])('an address that cannot be read shows no password: %s', async (spec) => {
  const error = await project.import([spec]).then(
    () => undefined,
    (thrown: { code: string; describe: () => string }) => thrown,
  );
  expect(error?.code).toBe('spec-invalid');
  expectNoSecret(error?.describe() ?? '');
});

test('a lock file of an earlier version loses the passwords in its keys', async () => {
  const { host } = await serving(() => sharedGateway);
  await project.import([`http://${host}/crd.yaml`]);
  const lock = await project.read('imports/fieldwise.lock.json');
  await project.put(
    'imports/fieldwise.lock.json',
    lock.replace(`http://${host}/crd.yaml`, 'https://dev:hunter2@example.com/a.yaml?t=s3cr3t'),
  );
  await project.import([`http://${host}/crd.yaml`]);
  const { sources } = JSON.parse(await project.read('imports/fieldwise.lock.json'));
  expect(Object.keys(sources)).toEqual([`http://${host}/crd.yaml`, 'https://example.com/a.yaml?t=***']);
});

test('two addresses that differ in hidden parts only are kept apart by a name', async () => {
  const { host } = await serving(() => sharedGateway);
  const specs = [`http://${host}/crd?id=1`, `http://${host}/crd?id=2`];
  await expect(project.import(specs)).rejects.toMatchObject({ code: 'spec-twice' });
  const { stdout } = await project.import([specs[0] as string, `next:=${specs[1]}`]);
  expect(stdout).toBe(`${module}: SharedGateway\nimports/next-edge.example.com/v1.ts: SharedGateway\n`);
});

test('a token of FIELDWISE_GITHUB_URL is sent to that server alone', async () => {
  const archive = tarball({ 'edge-1/crd.yaml': sharedGateway });
  const store = await serving(() => archive);
  const github = await serving(() => ({ to: `http://ghp_x@${store.host}/edge.tar.gz?token=s3cr3t` }));
  const env = { FIELDWISE_GITHUB_URL: `http://x-access-token:ghp_1@${github.host}` };
  const run = project.import(['github:acme/edge', '--allow-private-redirects'], { env });
  expectNoSecret(await traces(run));
  expect(github.asked).toEqual([{ url: '/acme/edge/archive/HEAD.tar.gz', authorization: basic('x-access-token:ghp_1') }]);
  expect(store.asked).toEqual([{ url: '/edge.tar.gz?token=s3cr3t', authorization: undefined }]);
  expect(await project.files('imports')).toContain(module);
});

test('credentials stay with their origin, and do not come back once another origin has answered', async () => {
  let away = '';
  const home = await serving((path) => (path === '/a' ? { to: '/b' } : path === '/b' ? { to: away } : sharedGateway));
  const other = await serving(() => ({ to: `http://${home.host}/c` }));
  away = `http://${other.host}/`;
  await project.import([`http://dev:pw@${home.host}/a`, '--allow-private-redirects']);
  expect(home.asked.map(({ url, authorization }) => [url, authorization])).toEqual([
    ['/a', basic('dev:pw')],
    ['/b', basic('dev:pw')],
    ['/c', undefined],
  ]);
  expect(other.asked).toEqual([{ url: '/', authorization: undefined }]);
});

test.each([
  ['an address', (port: string) => `http://127.0.0.1:${port}/`],
  ['a number', (port: string) => `http://2130706433:${port}/`],
  ['an IPv4-mapped address', (port: string) => `http://[::ffff:127.0.0.1]:${port}/`],
  ['a name that resolves to one', (port: string) => `http://localhost:${port}/`],
  ['a metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
])('a redirect into a private network needs a flag: %s', async (_, target) => {
  const inner = await serving(() => sharedGateway);
  const outer = await serving(() => ({ to: target(inner.host.split(':')[1] as string) }));
  const run = project.import([`http://${outer.host}/crd.yaml?token=s3cr3t`]);
  await expect(run).rejects.toMatchObject({ code: 'redirect-private', location: { server: `http://${outer.host}/crd.yaml?token=***` } });
  expect(inner.asked).toEqual([]);
  expect(await project.files('imports')).toEqual([]);
});

test('a redirect loop, one without an address, and one to a file end', async () => {
  const { host, asked } = await serving((path) => ({
    to: path === '/loop' ? '/loop' : path === '/file' ? 'file:///etc/passwd' : 'http://',
  }));
  await expect(project.import([`http://${host}/loop`])).rejects.toMatchObject({
    message: expect.stringContaining('redirects more than 10 times'),
  });
  expect(asked).toHaveLength(11);
  await expect(project.import([`http://${host}/file`])).rejects.toMatchObject({ message: expect.stringContaining('of the scheme file:') });
  await expect(project.import([`http://${host}/else`])).rejects.toMatchObject({ message: expect.stringContaining('invalid URL') });
});

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['172.31.255.255', true],
  ['172.32.0.1', false],
  ['192.168.0.1', true],
  ['169.254.169.254', true],
  ['100.64.0.1', true],
  ['0.0.0.0', true],
  ['8.8.8.8', false],
  ['::1', true],
  ['fe80::1%eth0', true],
  ['fd12:3456::1', true],
  ['::ffff:10.0.0.1', true],
  ['::ffff:8.8.8.8', false],
  ['::7f00:1', true],
  ['64:ff9b::a9fe:a9fe', true],
  ['64:ff9b::808:808', false],
  ['2002:7f00:1::', true],
  ['2002:808:808::', false],
  ['2606:4700::1111', false],
  ['example.com', false],
])('%s is private: %s', (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected);
});
