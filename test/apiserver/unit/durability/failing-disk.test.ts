import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { EmbeddedApiServer } from '../../../../src/apiserver/index.js';
import { freshDirectory } from './directory.js';
import { failSyncs, failWrites, holdSyncs } from './failing-disk.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by tests that know their shape
type AnyObject = any;

let server: EmbeddedApiServer;
afterEach(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

const maps = '/api/v1/namespaces/default/configmaps';

function ask(method: string, path: string, body?: unknown, query: Record<string, string> = {}): Promise<AnyObject> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const request = { method, path, query: new URLSearchParams(query), headers: { 'content-type': type } };
  return server.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) });
}

const create = (name: string, value = 'x') => ask('POST', maps, { metadata: { name }, data: { value } });
const code = async (name: string) => (await ask('GET', `${maps}/${name}`)).code;
const values = async () => {
  const { body } = await ask('GET', maps);
  return `${body.metadata.resourceVersion}: ${body.items.map(({ metadata }: AnyObject) => `${metadata.name}@${metadata.resourceVersion}`).join(' ')}`;
};

async function start(data: string): Promise<void> {
  server = await EmbeddedApiServer.start({ data, port: false });
}

async function restart(data: string): Promise<void> {
  await server.stop();
  await start(data);
}

/** The events of a watch of ConfigMaps, from now on. */
async function watchMaps(query: Record<string, string> = {}): Promise<string[]> {
  const events: string[] = [];
  const { watch } = await ask('GET', maps, undefined, { watch: 'true', ...query });
  watch(
    ({ type, object }: AnyObject) => events.push(`${type} ${object.metadata.name}`),
    () => events.push('end'),
  );
  return events;
}

describe('a change that cannot be written', () => {
  test('is not acknowledged and not there; the server goes on when there is space', async () => {
    const data = freshDirectory();
    await start(data);
    expect((await create('kept')).code).toBe(201);
    const before = await values();
    const events = await watchMaps({ resourceVersion: before.split(':')[0] as string });
    failWrites('ENOSPC');
    const refused = await create('lost');
    expect([refused.code, refused.body.kind, refused.body.reason]).toEqual([500, 'Status', 'InternalError']);
    expect(refused.body.message).toMatch(/cannot be created or written \(ENOSPC\).*Nothing of the change is kept/);
    expect((await ask('DELETE', `${maps}/kept`)).code).toBe(500);
    expect((await ask('PATCH', `${maps}/kept`, { data: { value: 'y' } })).code).toBe(500);
    expect(await values()).toBe(before);
    expect([await code('lost'), await code('kept')]).toEqual([404, 200]);
    vi.restoreAllMocks();
    expect((await create('next')).code).toBe(201);
    expect(events).toEqual(['ADDED next']);
    const after = await values();
    await restart(data);
    expect(await values()).toBe(after);
  });

  test('reads that are under way at the same time are answered', async () => {
    await start(freshDirectory());
    await create('kept');
    failWrites('ENOSPC');
    const answers = await Promise.all([
      create('one'),
      ask('GET', maps),
      create('two'),
      ask('GET', `${maps}/one`),
      ask('GET', `${maps}/kept`),
    ]);
    expect(answers.map((answer) => answer.code)).toEqual([500, 200, 500, 404, 200]);
    expect(answers[1].body.items.map(({ metadata }: AnyObject) => metadata.name)).toEqual(['kept']);
  });

  test('a definition that is not stored serves no kind, and a definition that is not deleted still serves it', async () => {
    const definition = (plural: string, kind: string) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural, kind },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const served = async (plural: string) => (await ask('GET', `/apis/example.com/v1/namespaces/default/${plural}`)).code;
    await start(freshDirectory());
    expect((await ask('POST', definitions, definition('cats', 'Cat'))).code).toBe(201);
    expect(
      (
        await ask('POST', '/apis/example.com/v1/namespaces/default/cats', {
          apiVersion: 'example.com/v1',
          kind: 'Cat',
          metadata: { name: 'tom' },
        })
      ).code,
    ).toBe(201);
    failWrites('ENOSPC');
    expect((await ask('POST', definitions, definition('dogs', 'Dog'))).code).toBe(500);
    expect((await ask('DELETE', `${definitions}/cats.example.com`)).code).toBe(500);
    expect([await served('dogs'), await served('cats')]).toEqual([404, 200]);
    expect((await ask('GET', '/apis/example.com/v1/namespaces/default/cats/tom')).code).toBe(200);
    vi.restoreAllMocks();
    expect((await ask('POST', definitions, definition('dogs', 'Dog'))).code).toBe(201);
  });

  test('dependents of an owner whose deletion is undone stay, and go with it later', async () => {
    await start(freshDirectory());
    const { uid } = (await create('owner')).body.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await ask('POST', maps, { metadata: { name: 'child', ownerReferences } });
    failWrites('ENOSPC');
    expect((await ask('DELETE', `${maps}/owner`)).code).toBe(500);
    expect([await code('owner'), await code('child')]).toEqual([200, 200]);
    vi.restoreAllMocks();
    expect((await ask('DELETE', `${maps}/owner`)).code).toBe(200);
    expect([await code('owner'), await code('child')]).toEqual([404, 404]);
  });

  test('after a failed fsync nothing more is accepted until a restart', async () => {
    const data = freshDirectory();
    await start(data);
    await create('kept');
    const before = await values();
    failSyncs('EIO');
    expect((await Promise.all([create('one'), create('two')])).map((answer) => answer.code)).toEqual([500, 500]);
    vi.restoreAllMocks();
    const refused = await create('three');
    expect([refused.code, refused.body.message]).toEqual([500, expect.stringMatching(/\(EIO\).*start the server again/)]);
    expect(await values()).toBe(before);
    await restart(data);
    expect(await values()).toBe(before);
    expect((await create('three')).code).toBe(201);
  });

  const mayMount = process.getuid?.() === 0 && process.platform === 'linux';
  if (!mayMount) process.stderr.write('A full disk is not tested: only root on Linux can mount one.\n');
  test.runIf(mayMount)('a full disk', async () => {
    const disk = freshDirectory();
    fs.mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      process.stderr.write('A full disk is not tested: this container may not mount one.\n');
      return;
    }
    try {
      const data = path.join(disk, 'data');
      await start(data);
      const stored: string[] = [];
      for (let index = 0; stored.length === index; index++) {
        if ((await create(`map-${index}`, 'x'.repeat(20_000))).code === 201) stored.push(`map-${index}`);
      }
      expect(stored.length).toBeGreaterThan(3);
      const before = await values();
      await restart(data);
      expect(await values()).toBe(before);
      for (const name of stored) expect([name, await code(name)]).toEqual([name, 200]);
    } finally {
      await server.stop();
      execFileSync('umount', [disk]);
    }
  });
});

describe('nobody sees what is not stored', () => {
  test('responses and watches wait for the disk, also those that only read', async () => {
    await start(freshDirectory());
    const events = await watchMaps({ resourceVersion: '0' });
    const release = holdSyncs();
    const seen: string[] = [];
    const created = create('one').then(() => seen.push('created'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    const read = ask('GET', `${maps}/one`).then((answer) => seen.push(`read ${answer.code}`));
    const again = create('one').then((answer) => seen.push(`again ${answer.code}`));
    const later = await watchMaps({ resourceVersion: '0' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([seen, events, later]).toEqual([[], [], []]);
    release();
    await Promise.all([created, read, again]);
    expect([seen, events, later]).toEqual([['created', 'read 200', 'again 409'], ['ADDED one'], ['ADDED one']]);
  });

  test('a watch that begins before a change is undone begins again', async () => {
    await start(freshDirectory());
    await create('kept');
    const release = holdSyncs();
    const lost = create('lost');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const events = await watchMaps({ resourceVersion: '0' });
    release('EIO');
    expect((await lost).code).toBe(500);
    expect(events).toEqual(['ADDED kept']);
  });
});

test('a stopped server stores nothing more, and says so', async () => {
  const data = freshDirectory();
  await start(data);
  const release = holdSyncs();
  const created = create('one');
  await new Promise((resolve) => setTimeout(resolve, 20));
  const stopped = server;
  const end = stopped.stop();
  release();
  await start(data);
  expect(await code('one')).toBe(200);
  expect((await created).code).toBe(201);
  await end;
  const request = {
    method: 'POST',
    path: maps,
    query: new URLSearchParams(),
    headers: {},
    body: JSON.stringify({ metadata: { name: 'late' } }),
  };
  expect(await stopped.handle(request)).toMatchObject({ code: 500, body: { message: expect.stringContaining('the server is stopped') } });
});
