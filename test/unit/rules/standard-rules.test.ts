import { describe, expect, test } from 'vitest';
import { App, type AppProps, Stack } from '../../../lib/src/entry/index.js';
import {
  deny,
  noForcedConflicts,
  noSensitiveChanges,
  noStatefulDeletion,
  noValueChangingRelease,
  onlyStack,
  pinnedImages,
  type Rule,
  requestsSet,
  standardRules,
  warn,
} from '../../../lib/src/entry/rules.js';
import { testCluster } from '../../../lib/src/testing/index.js';

type Objects = Parameters<Stack['own']>[0];

const program = (name: string, objects: readonly object[], verb: 'own' | 'share' = 'own'): Stack => {
  const stack = new Stack(new App({ name: 'shop' } as AppProps), name, { namespace: 'default' });
  for (const object of objects) stack[verb](object as Objects);
  return stack;
};
const config = (data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data });
const deployment = (container: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', ...container }] } },
  },
});
const scaled = (replicas: number) => ({ ...deployment({ image: 'web:1' }), spec: { ...deployment({ image: 'web:1' }).spec, replicas } });
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const requests = { resources: { requests: { cpu: '1', memory: '1Gi' } } };
const digest = `web@sha256:${'0'.repeat(64)}`;

interface Row {
  readonly what: string;
  readonly rule: Rule;
  /** What is deployed before. */
  readonly before?: readonly object[];
  /** What another client applies by force after it. */
  readonly others?: object;
  readonly declared: readonly object[];
  readonly stack?: string;
  readonly share?: true;
  readonly objections: readonly RegExp[];
}

const rows: readonly Row[] = [
  {
    what: 'forced conflicts: a field of another manager',
    rule: noForcedConflicts(),
    others: config({ a: '1' }),
    declared: [config({ a: '2' })],
    objections: [/takes \.data\.a from helm/],
  },
  {
    what: 'forced conflicts: the same value',
    rule: noForcedConflicts(),
    others: config({ a: '1' }),
    declared: [config({ a: '1' })],
    objections: [],
  },
  {
    what: 'forced conflicts: acknowledged',
    rule: noForcedConflicts({ acknowledged: [{ from: 'helm' }] }),
    others: config({ a: '1' }),
    declared: [config({ a: '2' })],
    objections: [],
  },
  {
    what: 'forced conflicts: acknowledged by a pattern, at a path without a dot',
    rule: noForcedConflicts({ acknowledged: [{ from: 'hel*', field: 'data.a' }] }),
    others: config({ a: '1', b: '1' }),
    declared: [config({ a: '2', b: '2' })],
    objections: [/takes \.data\.b from helm/],
  },
  {
    what: 'forced conflicts: another field is acknowledged',
    rule: noForcedConflicts({ acknowledged: [{ from: 'helm', object: 'ConfigMap default/web', field: '.data.b' }] }),
    others: config({ a: '1', b: '1' }),
    declared: [config({ a: '2', b: '2' })],
    objections: [/takes \.data\.a from helm/],
  },
  {
    what: 'no release that changes a value: the last owner',
    rule: noValueChangingRelease(),
    before: [config({ a: '1', b: '1' })],
    declared: [config({ b: '1' })],
    objections: [/no longer declares \.data\.a/],
  },
  {
    what: 'no release that changes a value: another owner keeps it',
    rule: noValueChangingRelease(),
    before: [config({ a: '1', b: '1' })],
    others: config({ a: '1' }),
    declared: [config({ b: '1' })],
    objections: [],
  },
  {
    what: 'no deletion of state: a claim',
    rule: noStatefulDeletion(),
    before: [claim, config({ a: '1' })],
    declared: [config({ a: '1' })],
    objections: [/deletes PersistentVolumeClaim default\/data/],
  },
  {
    what: 'no sensitive changes: replicas to 0',
    rule: noSensitiveChanges(),
    before: [scaled(3), config({ a: '1' })],
    declared: [scaled(0), config({ a: '2' })],
    objections: [/scales to 0 replicas/],
  },
  {
    what: 'no sensitive changes: allowed ones',
    rule: noSensitiveChanges({ allow: ['scaled-to-zero'] }),
    before: [scaled(3), config({ a: '1' })],
    declared: [scaled(0), config({ a: '2' })],
    objections: [],
  },
  {
    what: 'no deletion of state: a ConfigMap',
    rule: noStatefulDeletion(),
    before: [claim, config({ a: '1' })],
    declared: [claim],
    objections: [],
  },
  {
    what: 'no deletion of state: a further kind',
    rule: noStatefulDeletion({ kinds: ['ConfigMap'] }),
    before: [claim, config({ a: '1' })],
    declared: [claim],
    objections: [/deletes ConfigMap/],
  },
  {
    what: 'pinned images: no tag',
    rule: pinnedImages(),
    declared: [deployment({ image: 'registry.example.com:5000/web' })],
    objections: [/runs image registry/],
  },
  {
    what: 'pinned images: latest',
    rule: pinnedImages(),
    declared: [deployment({ image: 'web:latest' })],
    objections: [/runs image web:latest/],
  },
  { what: 'pinned images: a version', rule: pinnedImages(), declared: [deployment({ image: 'web:1.27.3' })], objections: [] },
  {
    what: 'pinned images: a digest is needed',
    rule: pinnedImages({ digest: true }),
    declared: [deployment({ image: 'web:1.27.3' })],
    objections: [/write its digest/],
  },
  { what: 'pinned images: a digest', rule: pinnedImages({ digest: true }), declared: [deployment({ image: digest })], objections: [] },
  {
    what: 'requests: none',
    rule: requestsSet(),
    declared: [deployment({ image: 'web:1' })],
    objections: [/container web requests no cpu and no memory/],
  },
  { what: 'requests: set', rule: requestsSet(), declared: [deployment({ image: 'web:1', ...requests })], objections: [] },
  {
    what: 'requests: set by another manager',
    rule: requestsSet(),
    others: deployment({ image: 'web:1', ...requests }),
    declared: [deployment({ image: 'web:1' })],
    objections: [],
  },
  {
    what: 'requests: of a container of others',
    rule: requestsSet(),
    others: deployment({ image: 'web:1' }),
    share: true,
    declared: [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 2 } }],
    objections: [],
  },
  {
    what: 'only one stack: that one',
    rule: onlyStack('gateway', '.data.class'),
    stack: 'gateway',
    declared: [config({ class: 'a' })],
    objections: [],
  },
  {
    what: 'only one stack: another one',
    rule: onlyStack('gateway', '.data.class'),
    declared: [config({ class: 'a' })],
    objections: [/only stack gateway may own/],
  },
  {
    what: 'only one stack: another one, by a path without a dot',
    rule: onlyStack('gateway', 'data.class'),
    declared: [config({ class: 'a' })],
    objections: [/only stack gateway may own/],
  },
  {
    what: 'only one stack: another field',
    rule: onlyStack('gateway', '.data.class'),
    declared: [config({ classes: 'a' })],
    objections: [],
  },
  {
    what: 'only one stack: another kind',
    rule: onlyStack('gateway', '.data.class', { kind: 'Gateway' }),
    declared: [config({ class: 'a' })],
    objections: [],
  },
];

describe('the rules of the package', () => {
  test.each(rows)('$what', async ({ rule, before, others, declared, stack = 'web', share, objections }) => {
    const cluster = await testCluster();
    if (before) expect((await cluster.deploy(program(stack, before), { yes: true })).summary.ok).toBe(true);
    if (others) await cluster.apply('helm', others as Parameters<typeof cluster.apply>[1], { force: true });
    const { objects, summary } = await cluster.plan(program(stack, declared, share ? 'share' : 'own'), { rules: [rule] });
    const judgments = objects.flatMap((object) => object.judgments ?? []);
    expect(judgments.map(({ message }) => message)).toEqual(objections.map((one) => expect.stringMatching(one)));
    expect(objects.some(({ action, error }) => action === 'blocked' && error?.code === 'rule-denied')).toBe(objections.length > 0);
    expect(summary.exitCode).toBe(objections.length > 0 ? 4 : 0);
  });

  test('a rule that says the same of several fields says it once, with the fields', async () => {
    const cluster = await testCluster();
    const silent: Rule = {
      verdict: 'deny',
      name: 'silent',
      check: (change) => change.declares('.data').map(({ field }) => ({ field, message: 'ask first' })),
    };
    const rules = [onlyStack('gateway', '.data'), silent];
    const { objects } = await cluster.plan(program('web', [config({ a: '1', b: '2' })]), { rules });
    expect(objects.flatMap(({ judgments = [] }) => judgments)).toHaveLength(4);
    expect(objects[0]?.error?.message).toBe(
      '2 rules refuse this creation: only-gateway: declares .data.a, .data.b, which only stack gateway may own; silent: ask first (.data.a, .data.b)',
    );
  });

  test.each<[string, () => Rule]>([
    ['onlyStack', () => onlyStack('gateway', '.data[')],
    ['onlyStack, without a dot', () => onlyStack('gateway', 'data.')],
    ['noForcedConflicts, field', () => noForcedConflicts({ acknowledged: [{ from: 'helm', field: 'data[' }] })],
    ['noForcedConflicts, from', () => noForcedConflicts({ acknowledged: [{ from: '*helm' }] })],
  ])('%s refuses what could never match', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid' }));
  });

  test('all of them', () => {
    expect(standardRules().map(({ name }) => name)).toEqual([
      'no-forced-conflicts',
      'no-value-changing-release',
      'no-stateful-deletion',
      'pinned-images',
      'requests-set',
    ]);
  });
});

test.each([
  [() => pinnedImages({ digst: true } as never), 'There is no option `digst`'],
  [() => noStatefulDeletion({ kinds: 'Database' } as never), 'The option `kinds` has the value "Database"'],
  [() => requestsSet({ resource: [] } as never), 'There is no option `resource`'],
  [() => onlyStack('web', '.spec', { kinds: 'Deployment' } as never), 'There is no option `kinds`'],
  [() => noForcedConflicts({ acknowledged: [{ from: 'helm', fields: '.spec' }] } as never), 'There is no option `fields`'],
  [() => deny(() => true, { nam: 'x' } as never), 'There is no option `nam`'],
  [() => warn(() => true, { message: 1 } as never), 'The option `message` has the value 1'],
])('a misspelt or wrong option is refused: %s', (rule, message) => {
  expect(rule).toThrow(expect.objectContaining({ code: 'option-invalid', message }));
});
