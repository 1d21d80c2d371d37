import type { PlannedObject } from 'fieldwise/deploy';
import { expect, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import type { RunResult } from '../harness/fieldwise.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('offline');
const group = `${testEnvironment.namespace}.example.com`;
const planted = ['first-s3cret-value', 'second-s3cret-value'] as const;

const listeners = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, port: { type: 'integer' } } },
};
await testEnvironment.crd(
  crdOf(group, 'Gateway', { spec: { type: 'object', properties: { class: { type: 'string', default: 'nginx' }, listeners } } }),
);

const gateway = (spec: object) => ({ apiVersion: `${group}/v1`, kind: 'Gateway', metadata: { name: 'public' }, spec });
const { config } = configMapHelpers(testEnvironment);
const secret = (data: { readonly password: string; readonly same: string }) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'password', annotations: { note: JSON.stringify(data) } },
  data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString('base64')])),
});

test('a plan from a snapshot is the plan by the schema of that moment, with no request and no value of a Secret in the file', async () => {
  const theirs = ref(`${group}/v1`, 'Gateway', 'public', testEnvironment.namespace);
  const project = testEnvironment.program({
    main: [
      own(gateway({ class: 'a', listeners: [{ name: 'x' }, { name: 'y' }] })),
      own(config('goes', { a: '1' })),
      own(secret({ password: planted[0], same: planted[1] })),
    ],
  });
  expect((await project.deploy()).exitCode).toBe(0);
  await testEnvironment.cluster.apply('them', { ...theirs, spec: { listeners: [{ name: 'x', port: 81 }] } }, { force: true });
  project.write({
    'main.ts': testEnvironment.text({
      main: [own(gateway({ listeners: [{ name: 'y', port: 1 }] })), own(secret({ password: planted[1], same: planted[1] }))],
      more: [share(gateway({ class: 'b' }))],
    }),
  });
  const online = plansOf(await project.run(['diff', '-o', 'json', '--read-only']));
  const taken = await project.run(['snapshot']);
  expect(taken.exitCode, taken.stderr).toBe(0);
  const file = project.read('fieldwise-snapshot.json');
  for (const value of planted) for (const text of [value, Buffer.from(value).toString('base64')]) expect(file).not.toContain(text);
  const [stored] = (JSON.parse(file) as { objects: { kind: string; data: object; metadata: { annotations: object } }[] }).objects.filter(
    ({ kind }) => kind === 'Secret',
  );
  // The same text for every value: nothing of it can be compared with a guess.
  expect([stored?.data, stored?.metadata.annotations]).toEqual([{ password: 'e30=', same: 'e30=' }, { note: '' }]);

  const nowhere = { kubeconfig: testEnvironment.kubeconfigOf('nowhere', { server: 'https://127.0.0.1:9' }) };
  const offline = plansOf(await project.run(['diff', '-o', 'json', '--offline'], nowhere));
  const others = (plans: readonly PlannedObject[]) => plans.filter(({ kind }) => kind !== 'Secret');
  expect(others(offline)).toEqual(others(online));
  const fields = ['.data.password', '.data.same', '.metadata.annotations.note'];
  const values = offline.find(({ kind }) => kind === 'Secret');
  expect(values).toMatchObject({ action: 'unchanged', source: 'schema', notCompared: fields });
  expect(values?.fields.map(({ field, change }) => [field, change])).toEqual(fields.map((field) => [field, 'same']));
  expect(
    Object.fromEntries(online.flatMap(({ name, fields }) => fields.map((field) => [`${name}${field.field}`, field.change]))),
  ).toMatchObject({
    'public.spec.listeners[name="x"].name': 'kept',
    'public.spec.listeners[name="y"].port': 'set',
    'password.data.password': 'change',
    'password.data.same': 'same',
  });

  // An object that the snapshot did not look for is not reported as absent.
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config('unheard', { a: '1' }))], more: [] }) });
  const unheard = plansOf(await project.run(['diff', '-o', 'json', '--offline'], nowhere)).find(({ name }) => name === 'unheard');
  expect(unheard).toMatchObject({ action: 'create', reason: expect.stringContaining('the snapshot does not show') });
});

test('a file that is not a snapshot, or one of another app, is refused', async () => {
  const project = testEnvironment.program({ main: [own(config('a', { a: '1' }))] });
  const missing = await project.run(['diff', '--offline']);
  expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('[file-unreadable]')]);
  for (const [text, why] of [
    ['{}', 'it is not a snapshot'],
    ['{"fieldwise":1,"kind":"snapshot"}', 'it is of an older version of Fieldwise'],
  ] as const) {
    project.write({ 'fieldwise-snapshot.json': text });
    const wrong = await project.run(['diff', '--offline']);
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('[snapshot-invalid]')]);
    expect(wrong.stderr).toContain(why);
  }
  expect((await project.run(['snapshot'])).exitCode).toBe(0);
  const other = await project.run(['diff', '--offline'], { environment: { FIELDWISE_INSTANCE: 'another' } });
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('[snapshot-invalid]')]);
});

function plansOf({ exitCode, events, stdout, stderr }: RunResult): PlannedObject[] {
  expect(exitCode, stdout + stderr).toBe(0);
  return eventsOf(events, 'plan');
}
