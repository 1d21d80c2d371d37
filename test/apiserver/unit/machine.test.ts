import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';
import { inProcessClient } from '../../../src/entry/in-process.js';
import { isJsonObject, type Json, type JsonObject } from '../../../src/util/json.js';
import { certificateRequest } from '../../harness/certificate-request.js';
import { VirtualMachine } from '../../harness/virtual-machine.js';

const options = { port: false } as const;

const configMap = (name: string, text = '') => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } });

async function post(server: EmbeddedApiServer, path: string, body: object): Promise<JsonObject> {
  const { code, body: created } = await server.handle({ method: 'POST', path, body });
  expect(code).toBe(201);
  return created as JsonObject;
}

const configMaps = '/api/v1/namespaces/default/configmaps';

/** All that a server holds after some requests. */
async function stateOf(seed: number): Promise<readonly Json[]> {
  const { machine } = new VirtualMachine(seed);
  const server = await EmbeddedApiServer.startOn(machine, options);
  await post(server, configMaps, configMap('a'));
  await post(server, configMaps, { ...configMap(''), metadata: { generateName: 'b-' } });
  const cluster = inProcessClient(server, 'default', machine);
  const { resources } = await cluster.listResources();
  const all = await Promise.all(resources.map((resource) => cluster.list(resource, {})));
  return [server.token, ...all.flat()];
}

test('the machine of a server decides over its uids, names, times and tokens', async () => {
  const [one, same, other] = [await stateOf(1), await stateOf(1), await stateOf(2)];
  expect(same).toEqual(one);
  expect(other).not.toEqual(one);
  const uids = one.flatMap((object) => (isJsonObject(object) && isJsonObject(object.metadata) ? [String(object.metadata.uid)] : []));
  expect(uids.length).toBeGreaterThan(10);
  expect(new Set(uids).size).toBe(uids.length);
  for (const uid of uids) expect(uid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test('a watch ends at the time of the machine', async () => {
  const virtual = new VirtualMachine();
  const server = await EmbeddedApiServer.startOn(virtual.machine, options);
  const { watch } = await server.handle({ method: 'GET', path: configMaps, query: { watch: 'true', timeoutSeconds: '60' } });
  let endedAt: number | undefined;
  watch?.(
    () => {},
    () => {
      endedAt = virtual.now;
    },
  );
  expect(virtual.timers).toBe(1);
  virtual.next();
  expect(endedAt).toBe(60_000);
});

test('a request with a long body is handled without another turn of the event loop', async () => {
  const { machine } = new VirtualMachine();
  const server = await EmbeddedApiServer.startOn(machine, options);
  await post(server, configMaps, configMap('a')); // loads modules
  let turns = 0;
  const turn = () => {
    turns += 1;
    immediate = setImmediate(turn);
  };
  let immediate = setImmediate(turn);
  await post(server, configMaps, configMap('b', 'x'.repeat(500_000)));
  clearImmediate(immediate);
  expect(turns).toBe(0);
});

test('simulated controllers work in the time of the machine', async () => {
  const virtual = new VirtualMachine();
  const server = await EmbeddedApiServer.startOn(virtual.machine, { ...options, controllers: 'simulated', podReadySeconds: 30 });
  const pods = '/api/v1/namespaces/default/pods';
  const spec = { containers: [{ name: 'web', image: 'web:1' }] };
  await post(server, pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  const phase = async () => (((await server.handle({ method: 'GET', path: `${pods}/web` })).body as JsonObject).status as JsonObject).phase;
  const wait = async (milliseconds: number) => virtual.run(virtual.machine.pause(milliseconds));
  await wait(1_000);
  expect(await phase()).toBe('Pending');
  await wait(120_000);
  expect(await phase()).toBe('Running');
  await server.stop();
  expect(virtual.timers).toBe(0);
});

test('a server with a clock of its own dates a decision on a signing request by it', async () => {
  const now = '2030-01-01T00:00:00Z';
  const server = await EmbeddedApiServer.start({ ...options, now: () => new Date(now) });
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const request = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name: 'a' } };
  const spec = { signerName: 'example.com/a', usages: ['client auth'], request: certificateRequest };
  const created = await post(server, requests, { ...request, spec });
  const conditions = [{ type: 'Approved', status: 'True', reason: 'a' }];
  const body = { ...created, status: { conditions } };
  const decided = (await server.handle({ method: 'PUT', path: `${requests}/a/approval`, body })).body as JsonObject;
  expect(decided.status).toMatchObject({ conditions: [{ lastUpdateTime: now, lastTransitionTime: now }] });
});
