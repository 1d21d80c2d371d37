import { AssertionError } from 'node:assert';
import { expect as jestExpect } from 'expect';
import { beforeEach, describe, expect, test } from 'vitest';
import { configMap } from '../../../generated/core/v1.js';
import type { RunReport } from '../../../src/entry/deploy.js';
import { App, Stack } from '../../../src/entry/index.js';
import * as testing from '../../../src/testing/index.js';
import { matchers, type TestCluster, testCluster } from '../../../src/testing/index.js';

// The vitest of this file is the one that the adapter extends; jest's `expect` takes the same matchers.
await import('../../../src/testing/vitest.js');
jestExpect.extend(matchers);

const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } };
const image = '.spec.template.spec.containers[name="web"].image';

function program({ replicas, labels = {}, policy }: { replicas?: number; labels?: object; policy?: 'force' | 'yield' | 'fail' } = {}) {
  const app = new App({ name: 'shop', ...(policy === undefined ? {} : { policy: { conflicts: policy } }) });
  const stack = new Stack(app, 'web', { namespace: 'shop' });
  stack.own({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'shop:1', ports: [{ containerPort: 80 }] }] },
      },
    },
  });
  return { app, stack };
}

/** Its object is in a namespace that does not exist. */
function invalidProgram(): App {
  const invalid = new App({ name: 'invalid' });
  new Stack(invalid, 'web', { namespace: 'absent' }).own(configMap('web').withData({ color: 'blue' }));
  return invalid;
}

let cluster: TestCluster;
let stack: Stack;
let app: App;
beforeEach(async () => {
  cluster = await testCluster({ namespaces: ['shop'], time: '2030-01-01T00:00:00Z' });
  ({ app, stack } = program({ replicas: 2, labels: { tier: 'front', 'example.com/team': 'a' } }));
  expect(await cluster.deploy(app)).toSucceed();
});

/** Returns the message with which an expectation fails; also compares vitest and jest. */
function failure(check: (expectation: typeof expect) => void): string {
  const messages = [expect, jestExpect as unknown as typeof expect].map((expectation) => {
    try {
      check(expectation);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('The expectation passed.');
  });
  expect(messages[0]).toBe(messages[1]);
  return messages[0] as string;
}

const live = () => cluster.get('Deployment', 'web', 'shop');

describe('toBeOwnedBy', () => {
  test.each([
    '.spec.replicas',
    'spec.replicas',
    image,
    '.spec.template.spec.containers[name=web].image',
    '.spec.template.spec.containers[name="web"]',
    '.spec.template.spec.containers[name="web"].ports[containerPort=80].containerPort',
    '.spec.selector', // one value, owned as a whole
    '.spec.selector.matchLabels.app',
    '.metadata.labels.example.com/team',
  ])('%s', async (field) => {
    const object = await live();
    expect(object).toBeOwnedBy(field, stack);
    expect(object).toBeOwnedBy(field, 'fieldwise/shop/default/web');
    expect(object).not.toBeOwnedBy(field, 'kubectl');
  });

  test('an Update through a subresource', async () => {
    await cluster.patch('hpa', { ...web, spec: { replicas: 5 } }, { subresource: 'scale' });
    const object = await live();
    expect(object).toBeOwnedBy('.spec.replicas', 'hpa');
    expect(object).not.toBeOwnedBy('.spec.replicas', stack);
    expect(failure((check) => check(object).toBeOwnedBy('.spec.replicas', stack))).toBe(
      [
        'Deployment shop/web: .spec.replicas is not owned by fieldwise/shop/default/web.',
        '',
        'Owners of the field:',
        '  hpa (Update, scale)',
        '',
        'Its value:',
        '  5',
        '',
        'Fields that fieldwise/shop/default/web owns:',
        '  .metadata.labels.example.com/team',
        '  .metadata.labels.tier',
        '  .spec.selector',
        '  .spec.template.metadata.labels.app',
        `  ${image}`,
        '  .spec.template.spec.containers[name="web"].name',
        '  .spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].containerPort',
      ].join('\n'),
    );
  });

  test('under `not`', async () => {
    const object = await live();
    const message = failure((check) => check(object).not.toBeOwnedBy('.spec.replicas', stack));
    expect(message).toBe(
      'Deployment shop/web: .spec.replicas is owned by fieldwise/shop/default/web.\n\nOwners of the field:\n  fieldwise/shop/default/web, 2030-01-01T00:00:00Z\n\nIts value:\n  2',
    );
  });

  test('near misses', async () => {
    const object = await live();
    expect(failure((check) => check(object).toBeOwnedBy('.spec.replica', stack))).toContain(
      'no such field; did you mean ".spec.replicas"?',
    );
    expect(failure((check) => check(object).toBeOwnedBy('.spec.strategy.type', stack))).toContain(
      'Nobody owns it.\n\nIts value:\n  "RollingUpdate"',
    );
    expect(failure((check) => check(object).toBeOwnedBy('.metadata.labels', stack))).toContain(
      'Fields below it have owners:\n  .metadata.labels.example.com/team: fieldwise/shop/default/web\n  .metadata.labels.tier: fieldwise/shop/default/web',
    );
    expect(failure((check) => check(object).toBeOwnedBy('.spec.replicas', 'kubectl'))).toContain(
      'kubectl owns no field of the object. Its managers:\n  fieldwise/shop/default/web',
    );
    for (const metadata of [{ name: 'web' }, { name: 'web', managedFields: [] }]) {
      const bare = { ...object, metadata };
      expect(failure((check) => check(bare).toBeOwnedBy('.spec.replicas', stack))).toContain('Pass the object whole');
      expect(failure((check) => check(bare).not.toBeOwnedBy('.spec.replicas', stack))).toContain('Pass the object whole');
    }
  });

  test('a field whose name begins with that of another one', async () => {
    await cluster.apply('alice', configMap('names').withData({ app: '1' }));
    await cluster.apply('bob', configMap('names').withData({ 'app.yaml': '2' }));
    const names = await cluster.get('cm', 'names');
    expect(names).toBeOwnedBy('.data.app.yaml', 'bob');
    expect(names).not.toBeOwnedBy('.data.app.yaml', 'alice');
    expect(names).not.toBeOwnedBy('.data.app', 'bob');
    expect(names).toBeOwnedBy('.data["app.yaml"]', 'bob');
  });

  test.each([
    '.spec[[',
    '[',
    '.',
    '.spec.',
    '..spec.replicas',
    '.spec..replicas',
    '.spec.replicas[',
    '.spec.ports]',
    ' .spec',
    '.spec ',
    '[=web]',
  ])('%o is no path, under `not` either', async (field) => {
    const object = await live();
    for (const check of [
      (each: typeof expect) => each(object).toBeOwnedBy(field, stack),
      (each: typeof expect) => each(object).not.toBeOwnedBy(field, stack),
    ])
      expect(failure(check)).toContain(`The field has the value ${JSON.stringify(field)}. Pass a path`);
  });

  test.each(['.spec.ports[name=]', '.spec.ports[name="a]', '.spec.ports[name="a"]x', '.spec.ports[a=1,]', '.spec.ports[]', '.data["\\q"]'])(
    'the item in %o is refused',
    async (field) => {
      const object = await live();
      expect(() => testing.assertNotOwnedBy(object, field, stack)).toThrow('The field has the value');
    },
  );

  test('names with dots at their ends, as the server writes them and in brackets', async () => {
    const names = { '.dockerconfigjson': '{}', 'a.': '1', 'b..c': '2' };
    await cluster.apply('alice', configMap('names').withData(names));
    const object = await cluster.get('cm', 'names');
    for (const name of Object.keys(names)) {
      expect(object).toBeOwnedBy(`.data.${name}`, 'alice');
      expect(object).toBeOwnedBy(`.data["${name}"]`, 'alice');
      expect(object).not.toBeOwnedBy(`.data["${name}."]`, 'alice');
    }
  });

  test('a field below a scalar has no owner, and the text of a key is no number', async () => {
    const object = await live();
    const port = '.spec.template.spec.containers[name="web"].ports[containerPort="80"]';
    for (const field of ['.spec.replicas.x', '.spec.replicas.x.y', '.spec.replicas[name="a"]', port])
      expect(object).not.toBeOwnedBy(field, stack);
    expect(object).toBeOwnedBy('.spec.selector.matchLabels.app', stack);
  });

  test.each([undefined, null, 'web', {}, [], Promise.resolve({})])('%o is not an object, under `not` either', (wrong) => {
    for (const message of [
      failure((check) => check(wrong).toBeOwnedBy('.spec', stack)),
      failure((check) => check(wrong).not.toBeOwnedBy('.spec', stack)),
    ])
      expect(message).toMatch(
        /^The value under test (has the value .*|is a promise: an `await` is missing)\. Pass an object as the server returns it/,
      );
  });

  test.each([
    ['', 'kubectl', 'The field'],
    [undefined, 'kubectl', 'The field'],
    ['.spec', '', 'The field manager'],
    ['.spec', undefined, 'The field manager'],
    ['.spec', {}, 'The field manager'],
  ])('the arguments %o and %o are refused', async (field, owner, named) => {
    const object = await live();
    expect(failure((check) => check(object).not.toBeOwnedBy(field as never, owner as never))).toContain(named);
  });
});

describe('toReleaseOnly', () => {
  test('fields of a deploy and of its plan', async () => {
    const next = program({ labels: { 'example.com/team': 'a' } });
    const plan = await cluster.plan(next.app);
    const report = await cluster.deploy(next.app);
    for (const result of [plan, report, report.objects[0], plan.objects[0]]) {
      expect(result).toReleaseOnly(['.spec.replicas', '.metadata.labels.tier']);
      expect(result).toReleaseOnly(['.spec', '.metadata.labels']);
      expect(result).toReleaseOnly({ 'Deployment shop/web': ['.spec.replicas', '.metadata.labels.tier'] });
      expect(result).not.toReleaseOnly(['.spec.replicas']);
      expect(result).not.toReleaseOnly([]);
      for (const fields of [['.spec.replicas'], []])
        expect(failure((check) => check(result).not.toReleaseOnly({ 'Deployment shop/wbe': fields }))).toContain(
          'did you mean "Deployment shop/web"?',
        );
      expect(failure((check) => check(result).not.toReleaseOnly(['.spec[[']))).toContain('The field has the value ".spec[["');
    }
    expect(failure((check) => check(report).toReleaseOnly(['.spec.replicas', '.spec.paused']))).toBe(
      [
        'Not exactly the expected fields are released.',
        '',
        'Expected, and not released:',
        '  .spec.paused',
        '',
        'Not expected:',
        '  Deployment shop/web .metadata.labels.tier: removed',
        '',
        'Released as expected:',
        '  Deployment shop/web .spec.replicas: defaulted',
      ].join('\n'),
    );
    expect(failure((check) => check(report).not.toReleaseOnly(['.spec', '.metadata']))).toContain('Only the expected fields are released.');
  });

  test('nothing, by a repeated deploy', async () => {
    expect(await cluster.deploy(app)).toReleaseOnly([]);
    expect(await cluster.plan(app)).toReleaseOnly([]);
    expect(await cluster.deploy(app)).not.toReleaseOnly(['.spec.replicas']);
  });

  test('a share that is destroyed, and an object that is deleted', async () => {
    const sharing = new App({ name: 'labels' });
    new Stack(sharing, 'labels', { namespace: 'shop' }).share({ ...web, metadata: { name: 'web', labels: { owner: 'me' } } });
    expect(await cluster.deploy(sharing)).toSucceed();
    expect(await cluster.destroy(sharing)).toReleaseOnly(['.metadata.labels.owner']);
    const report = await cluster.destroy(app);
    expect(failure((check) => check(report).toReleaseOnly(['.spec']))).toContain('Deployment shop/web: the object was deleted');
  });

  test('never, by a deploy that fails', async () => {
    await cluster.apply('kubectl', { ...web, spec: { replicas: 5 } }, { force: true });
    const next = program({ replicas: 3, labels: { tier: 'front', 'example.com/team': 'a' }, policy: 'fail' });
    const plan = await cluster.plan(next.app);
    expect(failure((check) => check(plan).toReleaseOnly([]))).toContain('Failures:\n  Deployment shop/web: ');
    const report = await cluster.deploy(next.app);
    expect(failure((check) => check(report).toReleaseOnly([]))).toContain('conflict over .spec.replicas of kubectl');
    const invalid = await cluster.plan(invalidProgram());
    expect(failure((check) => check(invalid).toReleaseOnly([]))).toContain('Failures:\n  ConfigMap absent/web: ');
  });

  test.each([['.spec'], [null], [{ web: '.spec' }]])('%o is refused', async (wrong) => {
    const report = await cluster.deploy(app);
    expect(failure((check) => check(report).toReleaseOnly(wrong as never))).toContain('The expected fields');
    expect(failure((check) => check({}).toReleaseOnly([]))).toContain('The value under test');
  });
});

describe('toPlan', () => {
  const object = 'Deployment shop/web';

  test('actions and changes', async () => {
    expect(await cluster.plan(app)).toPlan({});
    expect(await cluster.plan(app)).toPlan({ [object]: 'unchanged' });
    const plan = await cluster.plan(program({ replicas: 3, labels: { 'example.com/team': 'a' } }).app);
    expect(plan).toPlan({ [object]: 'update' });
    expect(plan).toPlan({ [object]: { fields: { '.spec.replicas': 'change', 'metadata.labels': 'removed' } } });
    expect(plan).toPlan({
      [object]: { action: 'update', fields: { '.spec.replicas': { oldValue: 2, newValue: 3 }, '.metadata.labels.tier': 'removed' } },
    });
    expect(plan).not.toPlan({});
    expect(plan).not.toPlan({ [object]: 'create' });
    expect(plan).not.toPlan({ [object]: { fields: { '.spec.replicas': 'change' } } });
    expect(failure((check) => check(plan).toPlan({ [object]: { action: 'create', fields: { '.spec.replicas': { newValue: 4 } } } }))).toBe(
      [
        'The plan differs.',
        '',
        'Differences:',
        '  Deployment shop/web: update instead of create',
        '  Deployment shop/web .spec.replicas: expected a change, newValue 4, found change 2 → 3',
        '  Deployment shop/web .metadata.labels.tier: removed "front" → nothing, and not expected',
        '',
        'The plan:',
        '  Deployment shop/web: update',
      ].join('\n'),
    );
    const misspelt = failure((check) => check(plan).toPlan({ 'Deployment shop/wbe': 'update' }));
    expect(misspelt).toContain('Deployment shop/wbe: not in the plan; did you mean "Deployment shop/web"?');
    expect(misspelt).toContain('Deployment shop/web: update, and not expected (change .spec.replicas, removed .metadata.labels.tier…)');
    expect(failure((check) => check(plan).toPlan({ [object]: { fields: { '.spec.replica': 'change' } } }))).toContain(
      'did you mean ".spec.replicas"?',
    );
    expect(failure((check) => check(plan).not.toPlan({ [object]: 'update' }))).toContain('The plan is as expected.');
  });

  test('a creation, and a field that another one owns, too', async () => {
    const fresh = await testCluster({ namespaces: ['shop'] });
    expect(await fresh.plan(app)).toPlan({ [object]: 'create' });
    await cluster.apply('kubectl', { ...web, spec: { replicas: 2 } });
    expect(await cluster.plan(app)).toPlan({});
  });

  test('the values of a change may be asymmetric matchers', async () => {
    const plan = await cluster.plan(program({ replicas: 3, labels: { 'example.com/team': 'a', tier: 'front' } }).app);
    expect(plan).toPlan({ [object]: { fields: { '.spec.replicas': { newValue: expect.any(Number) } } } });
    const check = failure((each) => each(plan).toPlan({ [object]: { fields: { '.spec.replicas': { newValue: expect.any(String) } } } }));
    expect(check).toContain('newValue Any');
  });

  test.each([
    null,
    [],
    { web: 1 },
    { [object]: { feilds: {} } },
    { [object]: 'change' },
    { [object]: { fields: ['.spec.replicas'] } },
    { [object]: { fields: { '.spec': 'update' } } },
    { [object]: { fields: { '.spec': { value: 5 } } } },
    { [object]: { fields: { '.spec': 1 } } },
    { web: { fields: { '.spec[[': 'change' } } },
  ])('%o is refused', async (wrong) => {
    const plan = await cluster.plan(app);
    expect(failure((check) => check(plan).toPlan(wrong as never))).toMatch(/^The (expected|field)/);
    expect(failure((check) => check({ objects: [] }).toPlan({}))).toContain('The value under test');
  });
});

describe('toConflictWith', () => {
  test('a rejected apply', async () => {
    await expect(cluster.apply('kubectl', { ...web, spec: { replicas: 5 } })).rejects.toConflictWith(stack, '.spec.replicas');
    const error: unknown = await cluster.apply('kubectl', { ...web, spec: { replicas: 5 } }).catch((thrown: unknown) => thrown);
    expect(error).toConflictWith(stack);
    expect(error).toConflictWith('fieldwise/shop/default/web', '.spec');
    expect(error).not.toConflictWith('kubectl');
    expect(failure((check) => check(error).toConflictWith('kubectl', '.spec.paused'))).toBe(
      'There is no conflict with kubectl over .spec.paused.\n\nConflicts:\n  .spec.replicas: rejected, of fieldwise/shop/default/web',
    );
    const rejected: unknown = await cluster.apply('kubectl', { ...web, spec: { replicas: 'many' } }).catch((thrown: unknown) => thrown);
    expect(failure((check) => check(rejected).toConflictWith(stack))).toContain('it failed for another reason: ');
  });

  test.each(['m "q" using v1', 'm with subresource "status"', 'a\\nb', 'caf\u00e9 \u{1f600}'])('the manager %s', async (manager) => {
    await cluster.apply(manager, configMap('names').withData({ x: '1' }));
    const error: unknown = await cluster.apply('other', configMap('names').withData({ x: '2' })).catch((thrown: unknown) => thrown);
    expect(error).toConflictWith(manager, '.data.x');
    expect(error).not.toConflictWith('m');
    expect(failure((check) => check(error).not.toConflictWith(manager))).toContain(`.data.x: rejected, of ${manager}`);
  });

  test.each([
    ['force', 'forced from kubectl', 'force, of kubectl'],
    ['yield', 'yielded to kubectl', 'yield, of kubectl'],
    ['fail', 'stopped the object, of kubectl', 'conflict, of kubectl'],
  ] as const)('under the policy %s', async (policy, ofReport, ofPlan) => {
    await cluster.apply('kubectl', { ...web, spec: { replicas: 5 } }, { force: true });
    const next = program({ replicas: 3, labels: { tier: 'front', 'example.com/team': 'a' }, policy });
    const plan = await cluster.plan(next.app);
    const report = await cluster.deploy(next.app);
    for (const [result, how] of [
      [plan, ofPlan],
      [report, ofReport],
    ] as const) {
      expect(result).toConflictWith('kubectl', '.spec.replicas');
      expect(result).not.toConflictWith('kubectl', '.spec.paused');
      expect(failure((check) => check(result).toConflictWith('helm'))).toContain(`Deployment shop/web .spec.replicas: ${how}`);
    }
  });

  test('another failure, under `not` either', async () => {
    const error: unknown = await cluster
      .apply('kubectl', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'absent' } })
      .catch((thrown: unknown) => thrown);
    const outcome = { outcome: 'invalid', message: 'no such field' };
    for (const result of [error, await cluster.deploy(invalidProgram()), await cluster.plan(invalidProgram()), outcome])
      for (const check of [
        (each: typeof expect) => each(result).toConflictWith('helm'),
        (each: typeof expect) => each(result).not.toConflictWith('helm', '.data'),
      ])
        expect(failure(check)).toMatch(/^The result does not show a conflict with helm.*, nor its absence: it failed for another reason: /);
  });

  test('no conflict, and values that have none', async () => {
    const report = await cluster.deploy(app);
    expect(report).not.toConflictWith('kubectl');
    expect(failure((check) => check(report).toConflictWith('kubectl'))).toBe('There is no conflict with kubectl.\n\nThere is no conflict.');
    expect({
      outcome: 'conflict',
      message: '',
      causes: [{ reason: 'FieldManagerConflict', field: '.spec.size', message: 'conflict with "alice"' }],
    }).toConflictWith('alice', '.spec.size');
    expect(failure((check) => check(report).not.toConflictWith('kubectl', '.data[['))).toContain('The field has the value');
    for (const wrong of [undefined, new Error('no'), {}, Promise.resolve(report).finally(() => {})])
      expect(failure((check) => check(wrong).not.toConflictWith('kubectl'))).toContain('The value under test');
  });
});

test('toSucceed', async () => {
  const report = await cluster.deploy(app);
  expect(failure((check) => check(report).not.toSucceed())).toContain(
    'The deploy succeeded.\n\nObjects:\n  Deployment shop/web: unchanged',
  );
  const failed = await cluster.deploy(invalidProgram());
  expect(failed).not.toSucceed();
  expect(failure((check) => check(failed).toSucceed())).toContain(
    'The deploy failed.\n\nReasons:\n  ConfigMap absent/web: Namespace absent does not exist. Create it,',
  );
  expect(failure((check) => check(undefined).not.toSucceed())).toContain('The value under test');
});

test('the assertions of node:test', async () => {
  const object = await live();
  const report: RunReport = await cluster.deploy(app);
  testing.assertOwnedBy(object, '.spec.replicas', stack);
  testing.assertNotOwnedBy(object, '.spec.replicas', 'kubectl');
  testing.assertReleasesOnly(report, []);
  testing.assertPlan(await cluster.plan(app), {});
  testing.assertNoConflictWith(report, 'kubectl');
  testing.assertSucceeded(report);
  await cluster.apply('kubectl', { ...web, spec: { replicas: 5 } }).catch((error: unknown) => testing.assertConflictWith(error, stack));
  const failures: readonly [string, () => void][] = [
    ['assertOwnedBy', () => testing.assertOwnedBy(object, '.spec.replicas', 'kubectl')],
    ['assertNotOwnedBy', () => testing.assertNotOwnedBy(object, '.spec.replicas', stack)],
    ['assertReleasesOnly', () => testing.assertReleasesOnly(report, ['.spec'])],
    ['assertPlan', () => testing.assertPlan(report as never, {})],
    ['assertConflictWith', () => testing.assertConflictWith(report, 'kubectl')],
  ];
  for (const [operator, assertion] of failures.filter(([name]) => name !== 'assertPlan')) {
    expect(assertion).toThrow(expect.objectContaining({ operator, code: 'ERR_ASSERTION' }));
    expect(assertion).toThrow(AssertionError);
  }
  expect(failures[3]?.[1]).toThrow('The value under test');
});
