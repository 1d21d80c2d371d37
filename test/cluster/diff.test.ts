import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('diff');

const { config, ref } = configMapHelpers(testEnvironment);

test('says for objects and fields what a deploy then does, and changes nothing', async () => {
  await testEnvironment.cluster.apply('owner', { ...ref('shared'), data: { theirs: '1', both: '1' } });
  const before = {
    main: [
      own(config('changed', { same: '1', change: '1', dropped: '1', contested: '1' })),
      own(config('goes', { a: '1' })),
      share(config('shared', { ours: '1' })),
    ],
  };
  const project = testEnvironment.program(before);
  await project.deploy();
  await testEnvironment.cluster.apply('them', { ...ref('changed'), data: { contested: '9', dropped: '1' } }, { force: true });
  const state = async () =>
    Promise.all(
      ['changed', 'goes', 'shared', 'new'].map(async (name) => (await testEnvironment.cluster.find(ref(name)))?.metadata.resourceVersion),
    );
  const untouched = await state();

  project.write({
    'main.ts': testEnvironment.text({
      main: [
        own(config('changed', { same: '1', change: '2', set: '1', contested: '1' })),
        own(config('new', { a: '1' })),
        share(config('shared', { both: '1' })),
      ],
    }),
  });
  const { exitCode, events } = await project.run(['diff', '-o', 'json', '--exit-code']);
  expect(exitCode).toBe(1);
  const plans = eventsOf(events, 'plan');
  const actions = Object.fromEntries(plans.map(({ name, action }) => [name, action]));
  expect(actions).toEqual({ changed: 'update', new: 'create', goes: 'delete', shared: 'update' });
  const fieldsOf = (name: string) =>
    Object.fromEntries(plans.find((plan) => plan.name === name)!.fields.map(({ field, change }) => [field, change]));
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
  expect(report.only('changed').forcedConflicts.map(({ field }) => field)).toEqual(['.data.contested']);
  expect((await testEnvironment.cluster.get(ref('changed'))).data).toEqual({
    same: '1',
    change: '2',
    set: '1',
    contested: '1',
    dropped: '1',
  });
  expect((await testEnvironment.cluster.get(ref('shared'))).data).toEqual({ theirs: '1', both: '1' });

  const again = await project.run(['diff', '--exit-code']);
  expect(again.exitCode, again.stdout).toBe(0);
});

test('before the kind and the namespace exist it says what it knows from the assembly', async () => {
  const project = testEnvironment.program({
    main: [
      own({
        apiVersion: `${testEnvironment.namespace}.example.com/v1`,
        kind: 'Later',
        metadata: { name: 'x', namespace: `${testEnvironment.namespace}-later` },
        spec: { a: 1 },
      }),
    ],
  });
  const { stdout, exitCode } = await project.run(['diff']);
  expect(exitCode, stdout).toBe(4);
  expect(stdout).toMatch(/^blocked +Later .*\[kind-unknown\]\nplan: 1 blocked$/ms);
});
