import { expect, test } from 'vitest';
import type { Answered } from '../harness/api-client.js';
import { Ground } from '../harness/ground.js';
import { own, share } from '../harness/program-text.js';

const ground = await Ground.fresh('diff');

const config = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const ref = (name: string) => ground.ref('v1', 'ConfigMap', name);

test('says for objects and fields what a deploy then does, and changes nothing', async () => {
  await ground.cluster.apply('owner', { ...ref('shared'), data: { theirs: '1', both: '1' } });
  const before = {
    main: [
      own(config('changed', { same: '1', change: '1', dropped: '1', contested: '1' })),
      own(config('goes', { a: '1' })),
      share(config('shared', { ours: '1' })),
    ],
  };
  const project = ground.program(before);
  await project.deploy();
  await ground.cluster.apply('them', { ...ref('changed'), data: { contested: '9', dropped: '1' } }, { force: true });
  const state = async () =>
    Promise.all(['changed', 'goes', 'shared', 'new'].map(async (name) => (await ground.cluster.find(ref(name)))?.metadata.resourceVersion));
  const untouched = await state();

  project.write({
    'main.ts': ground.text({
      main: [
        own(config('changed', { same: '1', change: '2', set: '1', contested: '1' })),
        own(config('new', { a: '1' })),
        share(config('shared', { both: '1' })),
      ],
    }),
  });
  const { exitCode, events } = await project.run(['diff', '--json', '--exit-code']);
  expect(exitCode).toBe(1);
  const plans = events.filter(({ event }) => event === 'plan');
  const actions = Object.fromEntries(plans.map(({ name, action }) => [name, action]));
  expect(actions).toEqual({ changed: 'update', new: 'create', goes: 'delete', shared: 'update' });
  const fieldsOf = (name: string) =>
    Object.fromEntries(plans.find((plan) => plan.name === name)!.fields.map(({ field, change }: Answered) => [field, change]));
  expect(fieldsOf('changed')).toMatchObject({
    '.data.change': 'change',
    '.data.set': 'set',
    '.data.contested': 'force',
    '.data.dropped': 'kept',
  });
  expect(fieldsOf('shared')).toMatchObject({ '.data.both': 'co-own', '.data.ours': 'removed' });
  expect(await state()).toEqual(untouched);

  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only('changed').forcedConflicts.map(({ field }: Answered) => field)).toEqual(['.data.contested']);
  expect((await ground.cluster.get(ref('changed'))).data).toEqual({ same: '1', change: '2', set: '1', contested: '1', dropped: '1' });
  expect((await ground.cluster.get(ref('shared'))).data).toEqual({ theirs: '1', both: '1' });

  const again = await project.run(['diff', '--exit-code']);
  expect(again.exitCode, again.stdout).toBe(0);
});

test('before the kind and the namespace exist it says what it knows from the assembly', async () => {
  const project = ground.program({
    main: [
      own({
        apiVersion: `${ground.namespace}.example.com/v1`,
        kind: 'Later',
        metadata: { name: 'x', namespace: `${ground.namespace}-later` },
        spec: { a: 1 },
      }),
    ],
  });
  const { stdout, exitCode } = await project.run(['diff']);
  expect([0, 4]).toContain(exitCode);
  expect(stdout).toMatch(/Later/);
});
