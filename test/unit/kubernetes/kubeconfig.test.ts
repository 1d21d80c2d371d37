import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { connect as connectCluster } from '../../../src/entry/deploy.js';
import { connect, createClusterClient, Transport } from '../../../src/kubernetes/index.js';
import { KubeConfig as OwnKubeConfig } from '../../../src/kubernetes/kubeconfig/kube-config.js';
import { readServiceAccount } from '../../../src/kubernetes/kubeconfig/read-kubeconfig.js';
import { type Machine, thisMachine } from '../../../src/util/machine.js';
import { fieldwise } from '../../harness/fieldwise.js';
import { base64, internal, trusted } from '../../kubeconfigs/parts.js';
import { startWorld, tokenUntil } from '../../kubeconfigs/world.js';

/*
 * What a kubeconfig does in a process that runs for long, and beside requests; test/kubeconfigs compares one request each with kubectl.
 */

const world = await startWorld();
const root = mkdtempSync(path.join(tmpdir(), 'fieldwise-kubeconfig-'));
afterAll(async () => {
  await world.stop();
  rmSync(root, { recursive: true });
});
afterEach(() => vi.unstubAllEnvs());

let count = 0;

/** Writes a kubeconfig, and returns its directory and path. */
function written(user: object, cluster: object = trusted(world)): { readonly directory: string; readonly kubeconfig: string } {
  const directory = path.join(root, String(count++));
  mkdirSync(directory);
  const kubeconfig = path.join(directory, 'config');
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'c', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    'current-context': 'c',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return { directory, kubeconfig };
}

/** A machine whose clocks can be put forward. */
function machineWithClock(): { readonly machine: Machine; wait(seconds: number): void } {
  let ahead = 0;
  const machine = { ...thisMachine, monotonic: () => thisMachine.monotonic() + ahead, wall: () => thisMachine.wall() + ahead };
  return {
    machine,
    wait(seconds) {
      ahead += seconds * 1000;
    },
  };
}

const version = { method: 'GET', path: '/version' } as const;

/** The credentials that the server has seen, one after the other. */
function seenCredentials(): string[] {
  const seen = world.takeLog().flatMap((line) => /^api \| (.*)$/.exec(line)?.[1] ?? []);
  return seen.filter((one, index) => one !== seen[index - 1]);
}

describe('credentials that change', () => {
  test('a tokenFile is read again after a minute', async () => {
    const { directory, kubeconfig } = written({ tokenFile: 'tok' });
    writeFileSync(path.join(directory, 'tok'), 'of-kubeconfig\n');
    const { machine, wait } = machineWithClock();
    const transport = new Transport(await connect({ kubeconfig, machine }), { machine });
    await transport.send(version);
    writeFileSync(path.join(directory, 'tok'), 'of-file\n');
    wait(30);
    await transport.send(version);
    wait(31);
    await transport.send(version);
    transport.close();
    expect(seenCredentials()).toEqual(['Bearer of-kubeconfig | no certificate', 'Bearer of-file | no certificate']);
  });

  test('a tokenFile is read again when the server refuses its token', async () => {
    const { directory, kubeconfig } = written({ tokenFile: 'tok' });
    writeFileSync(path.join(directory, 'tok'), 'old');
    const transport = new Transport(await connect({ kubeconfig }));
    await expect(transport.send(version)).rejects.toMatchObject({ code: 'authentication-failed' });
    writeFileSync(path.join(directory, 'tok'), 'of-file');
    await transport.send(version);
    transport.close();
    expect(seenCredentials()).toEqual(['Bearer old | no certificate', 'Bearer of-file | no certificate']);
  });

  test('a watch has the new token of an exec plugin after the server has refused the old one', async () => {
    const { directory, kubeconfig } = written({
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', interactiveMode: 'Never' },
    });
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'of-exec' } };
    const script = `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`;
    writeFileSync(path.join(directory, 'plugin'), script.replace('of-exec', 'old'), { mode: 0o755 });
    const transport = new Transport(await connect({ kubeconfig }));
    writeFileSync(path.join(directory, 'plugin'), script);
    const query = { watch: 'true', timeoutSeconds: '5' };
    const watch = transport.stream({ path: '/api/v1/namespaces', query, signal: new AbortController().signal, timeoutSeconds: 5 });
    for await (const event of watch) {
      expect(event).toMatchObject({ type: 'ADDED' });
      break;
    }
    transport.close();
    expect(seenCredentials()).toEqual(['Bearer old | no certificate', 'Bearer of-exec | no certificate']);
  });

  test('certificate files are read again after a minute, and connections with the old certificate are not used any more', async () => {
    const { alice, bob } = world.certificates;
    const { directory, kubeconfig } = written({ token: 'of-kubeconfig', 'client-certificate': 'tls.crt', 'client-key': 'tls.key' });
    const write = ({ cert, key }: typeof alice) => {
      writeFileSync(path.join(directory, 'tls.crt'), cert);
      writeFileSync(path.join(directory, 'tls.key'), key);
    };
    write(alice);
    const { machine, wait } = machineWithClock();
    const transport = new Transport(await connect({ kubeconfig, machine }), { machine });
    await transport.send(version);
    writeFileSync(path.join(directory, 'tls.crt'), bob.cert); // Somebody is writing the two.
    wait(61);
    await transport.send(version);
    write(bob);
    wait(61);
    await transport.send(version);
    transport.close();
    expect(seenCredentials()).toEqual(['Bearer of-kubeconfig | alice', 'Bearer of-kubeconfig | bob']);
  });

  test('an expired token of an issuer is refreshed once for many requests, and kept in the kubeconfig', async () => {
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${world.proxies.http}`);
    const config = {
      'client-id': 'cli',
      'idp-issuer-url': 'https://issuer.internal/realm',
      'idp-certificate-authority-data': base64(world.certificates.authority),
      'id-token': tokenUntil(Date.now() / 1000 + 3600),
      'refresh-token': 'refresh-1',
    };
    const { kubeconfig } = written({ 'auth-provider': { name: 'oidc', config } });
    const { machine, wait } = machineWithClock();
    const connection = await connect({ kubeconfig, machine });
    expect(world.takeLog()).toEqual([]);
    wait(3600);
    await Promise.all([connection.headers(), connection.headers(), connection.headers()]);
    expect(world.takeLog().filter((line) => line.startsWith('issuer'))).toHaveLength(1);
    await connect({ kubeconfig, machine });
    expect(world.takeLog()).toEqual([]);
  });
});

describe('the way to the server', () => {
  test('all of many requests trust the certificates of the system, once those of Node do not suffice', async () => {
    const { directory, kubeconfig } = written({ token: 'of-kubeconfig' }, { server: `https://127.0.0.1:${world.ports.tls}` });
    const bundle = path.join(directory, 'ca.crt');
    writeFileSync(bundle, world.certificates.authority);
    vi.stubEnv('SSL_CERT_FILE', bundle);
    const transport = new Transport(await connect({ kubeconfig }));
    const responses = await Promise.all(Array.from({ length: 8 }, () => transport.send(version)));
    transport.close();
    expect(responses.map(({ code }) => code)).toEqual(Array(8).fill(200));
  });

  test('a watch uses the proxy of the environment, too', async () => {
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${world.proxies.http}`);
    const { kubeconfig } = written({ token: 'of-kubeconfig' }, internal(world));
    const transport = new Transport(await connect({ kubeconfig }));
    const client = createClusterClient(transport, 'default');
    const resource = await client.resourceOf('v1', 'Namespace');
    world.takeLog();
    const watch = client.watch(resource, { resourceVersion: '', timeoutSeconds: 5, signal: new AbortController().signal });
    for await (const { type, object } of watch) {
      expect([type, object.kind]).toEqual(['ADDED', 'Namespace']);
      break;
    }
    transport.close();
    expect(world.takeLog()).toContain('proxy CONNECT cluster.internal:443');
  });

  test('a server that is not a proxy ends in an error that names the proxy', async () => {
    const other = `http://127.0.0.1:${world.ports.tls}`;
    const { kubeconfig } = written({ token: 'of-kubeconfig' }, { ...internal(world), 'proxy-url': other });
    const transport = new Transport(await connect({ kubeconfig }));
    const error = await transport.send(version, { retryTimeoutMs: 100 }).catch((caught: unknown) => caught);
    transport.close();
    expect(error).toMatchObject({ code: 'cluster-unreachable', message: expect.stringContaining(`the proxy ${other} does not answer`) });
  });

  test('the embedded server is reached under any proxy variables', async () => {
    const nobody = 'http://127.0.0.1:9';
    const environment = { HTTPS_PROXY: nobody, HTTP_PROXY: nobody, ALL_PROXY: nobody, https_proxy: nobody, http_proxy: nobody };
    const { directory } = written({});
    const { exitCode, stderr } = await fieldwise(['list', '--cluster', 'embedded'], { cwd: directory, environment });
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('proxy')]);
  });

  test.each([
    ['https', 'HTTPS_PROXY', 'https://issuer.internal/crd.yaml', 'proxy CONNECT issuer.internal:443'],
    ['http', 'HTTP_PROXY', 'http://files.internal/crd.yaml', 'proxy GET http://files.internal/crd.yaml'],
  ])('an import from %s uses the proxy of the environment', async (_, name, url, line) => {
    const { directory } = written({});
    const ca = path.join(directory, 'ca.crt');
    writeFileSync(ca, world.certificates.authority);
    world.takeLog();
    const environment = { [name]: `http://127.0.0.1:${world.proxies.http}`, NODE_EXTRA_CA_CERTS: ca };
    const { exitCode, stderr } = await fieldwise(['import', url], { cwd: directory, environment });
    expect([exitCode, stderr]).toEqual([0, expect.anything()]);
    expect(world.takeLog()).toContain(line);
  });
});

describe('a pod', () => {
  test('has the server with TLS, the namespace and the token of its service account, which is read again', async () => {
    const files = path.join(root, 'pod', 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(files, { recursive: true });
    const contents = { token: 'of-file\n', namespace: 'shop\n', 'ca.crt': world.certificates.authority };
    for (const [name, content] of Object.entries(contents)) writeFileSync(path.join(files, name), content);
    const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(world.ports.tls) };
    const config = readServiceAccount(new OwnKubeConfig(), environment, path.join(root, 'pod'));
    const { machine, wait } = machineWithClock();
    const connection = await connect({ kubeconfig: config, machine });
    expect(connection).toMatchObject({ server: `https://127.0.0.1:${world.ports.tls}`, namespace: 'shop' });
    writeFileSync(path.join(files, 'token'), 'of-kubeconfig\n');
    expect(await connection.headers()).toEqual({ Authorization: 'Bearer of-file' });
    wait(60);
    expect(await connection.headers()).toEqual({ Authorization: 'Bearer of-kubeconfig' });
  });

  test.each([
    ['no address', {}],
    ['no port', { KUBERNETES_SERVICE_HOST: '10.0.0.1' }],
  ])('with %s is none', (_, environment) => {
    expect(readServiceAccount(new OwnKubeConfig(), environment, path.join(root, 'pod'))).toBeUndefined();
  });
});

describe('a KubeConfig of @kubernetes/client-node', () => {
  test('is taken as it is', async () => {
    const config = new KubeConfig();
    config.loadFromFile(written({ token: 'of-kubeconfig' }).kubeconfig);
    await using cluster = await connectCluster(config, { namespace: 'shop' });
    expect([cluster.server, cluster.defaultNamespace]).toEqual([`https://127.0.0.1:${world.ports.tls}`, 'shop']);
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'of-object', namespace: 'default' }, data: { a: '1' } };
    expect(await cluster.apply(map)).toMatchObject({ data: { a: '1' } });
  });

  test('keeps the authenticators that a program has added', async () => {
    const config = new KubeConfig();
    config.loadFromFile(written({}).kubeconfig);
    config.addAuthenticator({
      isAuthProvider: () => true,
      applyAuthentication: async (_user, options) => {
        options.headers = { ...options.headers, Authorization: 'Bearer of-exec' };
      },
    });
    const connection = await connect({ kubeconfig: config });
    expect(await connection.headers()).toEqual({ Authorization: 'Bearer of-exec' });
  });

  test('an issuer that redirects to another server gets no token, and so does that server', async () => {
    const asked: string[] = [];
    const other = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end(JSON.stringify({ token_endpoint: `http://127.0.0.1:${portOf(other)}/token` }));
    });
    const issuer = createServer((request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${portOf(other)}${request.url}` }).end();
    });
    const portOf = (server: Server) => (server.address() as AddressInfo).port;
    for (const server of [other, issuer]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const config = {
      'client-id': 'cli',
      'client-secret': 'hunter22',
      'idp-issuer-url': `http://127.0.0.1:${portOf(issuer)}`,
      'id-token': tokenUntil(Date.now() / 1000 - 3600),
      'refresh-token': 'refresh-1',
    };
    const { kubeconfig } = written({ 'auth-provider': { name: 'oidc', config } });
    await expect(connect({ kubeconfig })).rejects.toThrow(/redirects to another server, http:\/\/127\.0\.0\.1:\d+/);
    expect(asked).toEqual([]);
    for (const server of [other, issuer]) server.close();
  });
});
