import { expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { mutateObjects } from '../harness/mutating-webhook.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Admission that writes other values than declared: each command names them, and none counts them as a difference. */
const testEnvironment = await TestEnvironment.create('rewritten');
const { cluster } = testEnvironment;
const { config, ref, live } = configMapHelpers(testEnvironment);

let calls = 0;
const webhook = await mutateObjects(testEnvironment, ({ kind, data = {}, spec = {} }) => {
  calls += 1;
  const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
  return [
    ...(data.image === 'nginx' ? [replace('/data/image', 'mirror/nginx')] : []),
    ...(data.hidden === undefined ? [] : [{ op: 'remove', path: '/data/hidden' }]),
    ...(data.counter === undefined ? [] : [replace('/data/counter', String(calls))]),
    ...(data.counted === undefined ? [] : [{ op: 'add', path: '/data/count', value: String(calls) }]),
    ...(kind === 'Secret' && data.token !== undefined ? [replace('/data/token', Buffer.from('their-token').toString('base64'))] : []),
    ...(kind === 'Widget'
      ? [replace('/spec/timeout', '1m0s'), replace('/spec/cpu', '1'), replace('/spec/since', '2024-01-01T00:00:00Z')]
      : []),
    ...(kind === 'Widget' && spec.size === 0 ? [{ op: 'remove', path: '/spec/size' }] : []),
  ];
});
await cluster.create('probe', { ...ref('probe'), data: { image: 'nginx' } });
await poll('the webhook is asked', async () => {
  await cluster.patch('probe', ref('probe'), { data: { image: 'nginx' } });
  return (await live('probe')).data.image === 'mirror/nginx';
});

const image = { field: '.data.image', declared: 'nginx', value: 'mirror/nginx' };
const hidden = { field: '.data.hidden', declared: 'x' };
const program = (name: string, data: object) => testEnvironment.program({ [name]: [own(config(name, data))] });
const states = async (project: Project) => (await project.run(['status', '-o', 'json'])).events.filter(({ event }) => event === 'status');
const planned = async (project: Project, ...flags: string[]) => {
  const { exitCode, events } = await project.run(['diff', '-o', 'json', '--exit-code', ...flags]);
  return { exitCode, plan: events.find(({ event }) => event === 'plan') };
};

test('a value that admission rewrites or drops is told by plan, record, status and drift, and is no difference', async () => {
  const project = program('told', { image: 'nginx', hidden: 'x', kept: 'y' });
  const { plan } = await planned(project);
  expect(plan?.fields.filter(({ declared }: { declared?: string }) => declared !== undefined)).toEqual([
    { field: '.data.hidden', change: 'set', declared: 'x' },
    { field: '.data.image', change: 'set', newValue: 'mirror/nginx', declared: 'nginx' },
  ]);
  const created = (await deployed(project)).only('told');
  expect(created).toMatchObject({ result: 'created', rewritten: [hidden, image] });
  const again = (await deployed(project)).only('told');
  expect(again).toMatchObject({ result: 'unchanged', rewritten: [hidden, image] });

  const after = await planned(project);
  expect(after).toMatchObject({ exitCode: 0, plan: { action: 'unchanged' } });
  expect(await states(project)).toMatchObject([{ state: 'rewritten', drift: [], pending: [], rewritten: [hidden, image] }]);
  const drift = await project.run(['drift', '-o', 'json', '--exit-code']);
  expect(drift.exitCode).toBe(0);
  expect(drift.events.filter(({ event }) => event === 'drift')).toMatchObject([
    { state: 'rewritten', fields: [], rewritten: [hidden, image] },
  ]);
  expect(drift.events.at(-1)).toMatchObject({ event: 'drift-summary', objects: 1, drifted: 0, fields: 0 });
});

test('people read it in each of them', async () => {
  const project = program('read', { image: 'nginx', hidden: 'x' });
  const lines = ['.data.hidden: declared "x", the server keeps no value', '.data.image: declared "nginx", the server keeps "mirror/nginx"'];
  const texts = [
    await project.run(['deploy']),
    ...(await Promise.all([['diff'], ['status'], ['drift'], ['diff', '-o', 'markdown']].map((args) => project.run(args)))),
  ].map(({ stdout, stderr }) => `${stdout}${stderr}`.replaceAll('`', ''));
  for (const text of texts) for (const line of lines) expect(text).toContain(line);
});

test('a change of the program is pending, and a repair changes nothing of a rewritten value', async () => {
  const project = program('edited', { image: 'nginx' });
  await deployed(project);
  const repair = await project.run(['drift', '--repair', '--yes', '-o', 'json']);
  expect([repair.exitCode, repair.events.filter(({ event }) => event === 'object')]).toEqual([0, []]);
  project.write({ 'main.ts': testEnvironment.text({ edited: [own(config('edited', { image: 'nginx', other: '1' }))] }) });
  expect(await states(project)).toMatchObject([{ state: 'pending', pending: ['.data.other'], rewritten: [image] }]);
});

test('what others change is drift beside it', async () => {
  const project = program('drifted', { image: 'nginx', kept: 'y' });
  await deployed(project);
  await cluster.patch('somebody', ref('drifted'), { data: { kept: 'z' } });
  expect(await states(project)).toMatchObject([{ state: 'drifted', drift: [{ field: '.data.kept' }], rewritten: [image] }]);
});

test.each(['server-side', 'dynamic'] as const)('a value that is yielded is not rewritten, under %s', async (strategy) => {
  const name = `yielded-${strategy}`;
  await cluster.apply('owner', { ...ref(name), data: { v: '1', w: '2' } });
  const project = testEnvironment.program({ [name]: [share(config(name, { v: '2' }), { conflicts: 'yield', strategy })] });
  const report = await deployed(project);
  expect([report.only(name).rewritten, report.only(name).yielded]).toMatchObject([undefined, [{ field: '.data.v' }]]);
  expect(await states(project)).toMatchObject([{ state: 'in-sync', yielded: ['.data.v'] }]);
  expect((await states(project))[0]).not.toHaveProperty('rewritten');
  const { plan } = await planned(project);
  expect(plan?.fields.filter(({ declared }: { declared?: string }) => declared !== undefined)).toEqual([]);
});

test('a declared field that admission writes anew each time is named, and is no drift', async () => {
  const project = program('counter', { counter: 'ours' });
  await deployed(project);
  const { plan } = await planned(project);
  expect(plan).toMatchObject({ action: 'update', fields: [{ field: '.data.counter', change: 'change', declared: 'ours' }] });
  expect(await states(project)).toMatchObject([
    { state: 'rewritten', drift: [], rewritten: [{ field: '.data.counter', declared: 'ours' }] },
  ]);
  expect((await deployed(project)).only('counter').rewritten).toMatchObject([{ field: '.data.counter', declared: 'ours' }]);
});

test('a field of nobody that admission writes anew each time is named', async () => {
  const project = program('counted', { counted: 'yes' });
  await deployed(project);
  const { plan } = await planned(project);
  expect(plan?.reason).toBeUndefined();
  expect(plan?.fields.filter(({ change }: { change: string }) => change !== 'same')).toMatchObject([
    { field: '.data.count', change: 'server' },
  ]);
});

test('values of a Secret are hidden, and those of `stringData`, too', async () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'hidden' },
    stringData: { token: 'our-token', kept: 'our-other-value' },
  };
  const project = testEnvironment.program({ hidden: [own(secret)] });
  const report = await deployed(project);
  expect(report.only('hidden').rewritten).toEqual([{ field: '.data.token', declared: '***', value: '***' }]);
  const all = [
    String(report),
    ...(await Promise.all(['diff', 'status', 'drift'].map((verb) => project.run([verb, '-o', 'json'])))).map(({ stdout }) => stdout),
  ];
  for (const text of all) expect(text).not.toMatch(/our-token|their-token/);
});

test('an equal value in another form is no rewrite; a zero that admission drops from a custom resource is one', async () => {
  const group = 'rewritten.example.com';
  await testEnvironment.crd(crdOf(group, 'Widget', { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }));
  const spec = { timeout: '60s', cpu: '1000m', since: '2024-01-01T01:00:00+01:00', size: 0 };
  const project = testEnvironment.program({
    forms: [own({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'forms' }, spec })],
  });
  await deployed(project);
  expect((await deployed(project)).only('forms').rewritten).toEqual([{ field: '.spec.size', declared: 0 }]);
});

test('once the webhook is gone, the next deploy brings the declared values back', async () => {
  const project = program('back', { image: 'nginx', hidden: 'x' });
  await deployed(project);
  await webhook.remove();
  await poll('the webhook is asked no more', async () => {
    await cluster.patch('probe', ref('probe'), { data: { image: 'nginx' } });
    return (await live('probe')).data.image === 'nginx';
  });
  const report = (await deployed(project)).only('back');
  expect(report.rewritten).toBeUndefined();
  expect((await live('back')).data).toEqual({ image: 'nginx', hidden: 'x' });
  expect(await states(project)).toMatchObject([{ state: 'in-sync' }]);
});
