import { Controller, connect as connection, extract, statusOf } from 'fieldwise/controller';
import { deploymentStatus } from 'fieldwise/k8s/apps/v1';
import { describe, expect, test } from 'vitest';
import { connect, deploy, type RunReport, undoForcedConflicts } from '../../src/entry/deploy.js';
import type { ObjectRef } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('exact-numbers');
const group = `${testEnvironment.app}.example.com`;
const int64 = { type: 'integer', format: 'int64' };
const text = { type: 'string' };
const listOf = (properties: object) => ({ type: 'array', items: { type: 'object', properties } });
const mapOf = (key: string, properties: object) => ({
  type: 'array',
  items: { type: 'object', properties, required: [key] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
});

await testEnvironment.crd(
  crdOf(group, 'Vault', {
    spec: {
      type: 'object',
      properties: {
        note: text,
        quota: int64,
        limits: listOf({ name: text, most: int64 }),
        named: mapOf('name', { name: text, most: int64, numbered: mapOf('id', { id: int64, note: text }) }),
      },
    },
  }),
);

/** Neither is a JavaScript number; the first is rounded to one that an int64 holds, the second to one that it does not. */
const digits = ['9007199254740993', '9223372036854775807'] as const;

const dynamic = { strategy: 'dynamic' };

const ref = (name: string) => testEnvironment.ref(`${group}/v1`, 'Vault', name);
const vault = (name: string, spec: object) => ({ apiVersion: `${group}/v1`, kind: 'Vault', metadata: { name }, spec });

/** Sends a text as it is: this client's own JSON would round. */
async function send(method: string, object: ObjectRef, contentType: string, body: string, query: Readonly<Record<string, string>> = {}) {
  const { client } = testEnvironment.cluster;
  const path = await testEnvironment.cluster.path(object);
  const url = new URL(client.connection.server.replace(/\/$/, '') + (method === 'POST' ? path.slice(0, path.lastIndexOf('/')) : path));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const answer = await client.raw(method, url, { accept: 'application/json', 'content-type': contentType }, Buffer.from(body));
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.text;
}

/** @param spec as JSON. */
function textOf(name: string, spec: string): string {
  return JSON.stringify({ ...vault(name, {}), metadata: ref(name).metadata }).replace('"spec":{}', `"spec":${spec}`);
}

const create = (manager: string, name: string, spec: string) =>
  send('POST', ref(name), 'application/json', textOf(name, spec), { fieldManager: manager });
const apply = (manager: string, name: string, spec: string) =>
  send('PATCH', ref(name), 'application/apply-patch+yaml', textOf(name, spec), { fieldManager: manager, force: 'true' });
const patch = (manager: string, name: string, spec: string) =>
  send('PATCH', ref(name), 'application/merge-patch+json', `{"spec":${spec}}`, { fieldManager: manager });

async function live(name: string): Promise<string> {
  const { client } = testEnvironment.cluster;
  const url = new URL(client.connection.server.replace(/\/$/, '') + (await testEnvironment.cluster.path(ref(name))));
  return (await client.raw('GET', url, { accept: 'application/json' }, undefined)).text;
}

/** The live spec as JSON, members in order. */
async function spec(name: string): Promise<string> {
  return /"spec":(.*)\}\s*$/s.exec(await live(name))?.[1] ?? '';
}

async function undo(report: RunReport) {
  const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig, namespace: testEnvironment.namespace });
  return undoForcedConflicts(report, cluster).finally(() => cluster.close());
}

describe.each(digits)('%s of somebody else', (number) => {
  const suffix = number.slice(0, 2);

  test.each([
    { of: 'an updater', write: create },
    { of: 'an applier', write: apply },
  ])('taken from $of, it is on record with all its digits, and the undoing gives it back', async ({ of, write }) => {
    const name = `taken-${of.slice(3)}-${suffix}`;
    await write('them', name, `{"limits":[{"most":${number},"name":"a"}],"quota":${number}}`);
    const before = await spec(name);
    const project = testEnvironment.program({ main: [own(vault(name, { quota: 5, limits: [{ name: 'b', most: 1 }] }))] });
    expect((await project.run(['diff'])).stdout).toContain(`.spec.quota: ${number} → 5`);
    const deployed = await project.deploy(['--output-file', 'report=report.json', '--yes']);
    expect(deployed.only().forcedConflicts, String(deployed)).toMatchObject([
      { field: '.spec.limits', oldValue: [{ name: 'a', most: number }], newValue: [{ name: 'b', most: 1 }] },
      { field: '.spec.quota', oldValue: number, newValue: 5 },
    ]);
    expect(deployed.only().integers).toEqual(['/forcedConflicts/0/oldValue/0/most', '/forcedConflicts/1/oldValue']);
    expect(await undo(JSON.parse(project.read('report.json')))).toMatchObject([
      { field: '.spec.limits', to: 'them', undone: true },
      { field: '.spec.quota', to: 'them', undone: true },
    ]);
    expect(await spec(name)).toBe(before);
    expect(await testEnvironment.cluster.owners(ref(name))).toMatchObject({ 'them (Update)': expect.arrayContaining(['.spec.quota']) });
  });

  test.each([
    { command: ['drift'], event: 'drift', integers: ['/fields/0/live'] },
    { command: ['status'], event: 'status', integers: ['/drift/0/live'] },
    { command: ['owners', 'NAME'], event: 'owners', integers: ['/fields/0/value'] },
    { command: ['explain', 'NAME', '.spec.quota'], event: 'field', integers: ['/value'] },
  ])('$command.0 prints it with all its digits, as text that it names', async ({ command, event, integers }) => {
    const name = `printed-${event}-${suffix}`;
    const project = testEnvironment.program({ main: [own(vault(name, { quota: 5 }))] });
    await project.deploy();
    await patch('them', name, `{"quota":${number}}`);
    const named = command.map((word) => (word === 'NAME' ? `Vault.${group}/${name}` : word));
    const { events, stderr } = await project.run([...named, '-n', testEnvironment.namespace, '-o', 'json']);
    const [line] = eventsOf(events, event as 'status');
    expect(line, stderr).toMatchObject({ integers });
    expect(JSON.stringify(line)).toContain(`"${number}"`);
  });

  test('a report that holds it rounded gives nothing back, and says what to do', async () => {
    const name = `rounded-${suffix}`;
    await create('them', name, `{"quota":${number}}`);
    const project = testEnvironment.program({ main: [own(vault(name, { quota: 5 }))] });
    await project.deploy(['--output-file', 'report=report.json', '--yes']);
    const { integers: _, ...report } = JSON.parse(project.read('report.json').replaceAll(`"${number}"`, number)).objects[0];
    expect(await undo({ objects: [report] } as unknown as RunReport)).toMatchObject([
      { field: '.spec.quota', to: 'them', undone: false, reason: expect.stringMatching(/rounded .*let them set it again/) },
    ]);
    expect(await spec(name)).toBe('{"quota":5}');
  });

  test('yielded, it is shown as it is and stays', async () => {
    const name = `yielded-${suffix}`;
    await apply('them', name, `{"quota":${number}}`);
    const project = testEnvironment.program({ main: [own(vault(name, { quota: 5 }), { conflicts: 'yield' })] });
    expect((await project.deploy(['--yes'])).only().yielded).toMatchObject([{ field: '.spec.quota', value: number, declared: 5 }]);
    const { stdout } = await project.run(['deploy', '--yes']);
    expect(stdout).toContain(`.spec.quota: stays ${number}, owned by them`);
    expect(await spec(name)).toBe(`{"quota":${number}}`);
  });

  test('an item known by such a number that stays is not taken, beside a field that is', async () => {
    const name = `beside-${suffix}`;
    await apply('them', name, `{"named":[{"name":"a","numbered":[{"id":${number},"note":"theirs"}]}],"quota":1}`);
    const before = await spec(name);
    const project = testEnvironment.program({ main: [share(vault(name, { quota: 5 }))] });
    const report = await project.deploy(['--yes']);
    expect(report.only().forcedConflicts, String(report)).toMatchObject([{ field: '.spec.quota', oldValue: 1, newValue: 5, from: 'them' }]);
    expect(report.only().forcedConflicts).toHaveLength(1);
    expect(await spec(name)).toBe(before.replace('"quota":1', '"quota":5'));
  });

  test('fields removed with an item keep their digits in the report, also for an item identified by such a number', async () => {
    const name = `vanished-${suffix}`;
    const project = testEnvironment.program({ main: [own(vault(name, { named: [{ name: 'a' }, { name: 'b' }] }))] });
    await project.deploy();
    await patch('them', name, `{"named":[{"most":${number},"name":"a","numbered":[{"id":${number},"note":"theirs"}]},{"name":"b"}]}`);
    project.write({ 'main.ts': testEnvironment.text({ main: [own(vault(name, { named: [{ name: 'b' }] }))] }) });
    const refused = await project.run(['deploy']);
    expect(refused.stderr).toMatch(/\.spec\.named\[name="a"\]\.numbered\[id=\d+\]\.note of them/);
    const report = await project.deploy(['--yes']);
    expect(report.only().collateral, String(report)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ field: '.spec.named[name="a"].most', oldValue: number, from: 'them' }),
        expect.objectContaining({ field: expect.stringMatching(/numbered\[id=\d+\]\.note$/), oldValue: 'theirs', from: 'them' }),
      ]),
    );
  });

  test('beside what is merged client-side, it stays as it is: in a list that is written whole, in a keyed one, and outside of lists', async () => {
    const name = `dynamic-${suffix}`;
    const [limits, named] = ['most', 'most'].map((field) => `{"${field}":${number},"name":"theirs"}`);
    await create('them', name, `{"limits":[${limits}],"named":[${named}],"note":"","quota":${number}}`);
    const ours = (most: number) => share(vault(name, { limits: [{ most, name: 'ours' }], named: [{ most, name: 'ours' }] }), dynamic);
    const project = testEnvironment.program({ main: [ours(1)] });
    for (const most of [1, 2]) {
      project.write({ 'main.ts': testEnvironment.text({ main: [ours(most)] }) });
      const report = await project.deploy(['--yes']);
      expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [] });
      const item = `{"most":${most},"name":"ours"}`;
      expect(await spec(name)).toBe(`{"limits":[${limits},${item}],"named":[${named},${item}],"note":"","quota":${number}}`);
    }
    expect((await project.deploy()).only().result).toBe('unchanged');
    expect((await project.destroy()).exitCode).toBe(0);
    expect(await spec(name)).toBe(`{"limits":[${limits}],"named":[${named}],"note":"","quota":${number}}`);
  });
});

test('a plan is outdated where a value has changed by less than JavaScript sees', async () => {
  const name = 'planned';
  await apply('them', name, '{"quota":9007199254740993}');
  const project = testEnvironment.program({ main: [own(vault(name, { quota: 5 }))] });
  expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
  await apply('them', name, '{"quota":9007199254740992}');
  const outdated = await project.run(['deploy', '--plan', 'plan.json']);
  expect(outdated.stderr).toMatch(/plan-outdated/);
  expect(outdated.stderr).toContain('planned to take it from them (Apply), from 9007199254740993 to 5');
  await apply('them', name, '{"quota":9007199254740993}');
  const deployed = await project.run(['deploy', '--plan', 'plan.json']);
  expect(deployed.exitCode, deployed.stderr).toBe(0);
});

test.each<{ flags: string[] }>([{ flags: [] }, { flags: ['--read-only'] }, { flags: ['--offline'] }])(
  'a plan shows all digits: $flags',
  async ({ flags }) => {
    const name = `shown${flags.join('')}`;
    await apply('them', name, '{"limits":[{"most":9007199254740993,"name":"a"}],"quota":9007199254740993}');
    const ours = vault(name, { quota: 5, limits: [{ name: 'a', most: 9007199254740992 }] });
    const project = testEnvironment.program({ main: [own(ours)] });
    if (flags.includes('--offline')) expect((await project.run(['snapshot'])).exitCode).toBe(0);
    const { stdout, stderr } = await project.run(['diff', ...flags]);
    expect(stdout, stderr).toContain('.spec.quota: 9007199254740993 → 5');
    expect(stdout).toMatch(/force {5}\.spec\.limits: \[\{.*9007199254740993.*\}\] → \[\{.*9007199254740992.*\}\]/);
  },
);

test('a program that deploys gets documents that any JSON can hold', async () => {
  const name = 'api';
  await apply('them', name, `{"quota":${digits[1]}}`);
  const project = testEnvironment.program({ main: [own(vault(name, { quota: 5 }))] });
  expect((await project.run(['synth'])).exitCode).toBe(0);
  const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig, namespace: testEnvironment.namespace });
  const told: string[] = [];
  const report = await deploy(`${project.directory}/dist`, cluster, {
    inventoryNamespace: testEnvironment.namespace,
    yes: true,
    confirm: async () => true,
    wait: false,
    onEvent: (event) => told.push(JSON.stringify(event)),
  }).finally(() => cluster.close());
  expect(report.objects[0]).toMatchObject({ forcedConflicts: [{ oldValue: digits[1] }], integers: ['/forcedConflicts/0/oldValue'] });
  expect(told.map((event) => JSON.parse(event))).toContainEqual(JSON.parse(JSON.stringify(report)).objects[0]);
});

test('a controller gets and gives such a number as a bigint; no builder holds it, and none writes it rounded', async () => {
  const name = 'controlled';
  const { client } = testEnvironment.cluster;
  const kind = 'Deployment';
  const deployment = (status: { observedGeneration: number }) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: testEnvironment.namespace },
    status,
  });
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'web:1' }] } };
  await testEnvironment.cluster.create('test', {
    ...testEnvironment.ref('apps/v1', kind, name),
    spec: { selector: { matchLabels: { app: name } }, template },
  });
  const server = await connection({ kubeconfig: testEnvironment.kubeconfig, namespace: testEnvironment.namespace });
  testEnvironment.onCleanup(() => server.close());
  const [them, us] = ['them', 'us'].map((manager) => new Controller(server, { manager })) as [Controller, Controller];
  const given = 9007199254740993n as unknown as number;
  await them.applyStatus(deployment({ observedGeneration: given }));
  const path = `${await testEnvironment.cluster.path(testEnvironment.ref('apps/v1', kind, name))}/status`;
  const { text } = await client.raw('GET', new URL(client.connection.server.replace(/\/$/, '') + path), {}, undefined);
  expect(text).toContain('"observedGeneration":9007199254740993');
  const answer = await us.applyStatus(deployment({ observedGeneration: 1 }));
  expect(answer).toMatchObject({ forcedConflicts: [{ field: '.status.observedGeneration', from: 'them', oldValue: given, newValue: 1 }] });

  const { object } = (await them.applyStatus(deployment({ observedGeneration: given }))) as { object: object };
  const refused = {
    code: 'intent-invalid',
    message: expect.stringContaining('the bigint 9007199254740993 is not a JSON value'),
    location: expect.objectContaining({ field: '.status.observedGeneration' }),
  };
  expect(() => extract(deploymentStatus, object, { manager: 'them', subresource: 'status' }).build()).toThrow(
    expect.objectContaining(refused),
  );
  const read = JSON.parse(text); // as other clients read it
  expect(() => statusOf(deploymentStatus, read).build()).toThrow(expect.objectContaining({ code: 'value-inexact' }));
});
