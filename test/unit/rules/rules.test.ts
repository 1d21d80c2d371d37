import { describe, expect, test } from 'vitest';
import type { PlannedField, PlannedObject } from '../../../src/engine/report/plan-types.js';
import { Change, checkChange, deny, type Rule, warn } from '../../../src/rules/index.js';

const planned = (over: Partial<PlannedObject> = {}): PlannedObject => ({
  event: 'plan',
  action: 'update',
  source: 'server',
  stack: 'web',
  manager: 'fieldwise:shop.default.web',
  object: 'Deployment shop/web',
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  lifecycle: 'own',
  declaredBy: [],
  fields: [],
  ...over,
});

const field = (path: string, change: PlannedField['change'], rest: Partial<PlannedField> = {}): PlannedField => ({
  field: path,
  change,
  ...rest,
});
const owner = (manager: string, stack?: string) => ({ manager, operation: 'Apply' as const, ...(stack === undefined ? {} : { stack }) });

const fields = [
  field('.spec.replicas', 'force', { oldValue: 3, newValue: 2, owners: [owner('argocd-controller')] }),
  field('.spec.template.spec.containers[name="web"].image', 'change', { oldValue: 'web:1', newValue: 'web:2' }),
  field('.spec.template.spec.containers[name="web"].name', 'same', { oldValue: 'web', newValue: 'web' }),
  field('.spec.paused', 'removed', { oldValue: true }),
  field('.metadata.labels.a', 'kept', { oldValue: 'a', newValue: 'a', owners: [owner('m', 'other')] }),
];
const change = new Change(planned({ fields }), {});
const paths = (found: readonly PlannedField[]) => found.map((one) => one.field);

describe('the questions that a rule asks of a change', () => {
  test.each([
    ['takes from anybody', change.takesFrom(), ['.spec.replicas']],
    ['takes from a manager', change.takesFrom('argocd-controller'), ['.spec.replicas']],
    ['takes from another manager', change.takesFrom('argocd'), []],
    ['declares at a path', change.declares('.spec.replicas'), ['.spec.replicas']],
    ['declares below a path', change.declares('.spec.template'), paths(fields.slice(1, 3))],
    ['declares in any item', change.declares('.spec.template.spec.containers[*].image'), [fields[1]?.field]],
    ['declares in a named item', change.declares('.spec.template.spec.containers[name=web].image'), [fields[1]?.field]],
    ['a name that only begins alike', change.declares('.spec.replica'), []],
    ['changes', change.changes('.spec'), ['.spec.replicas', fields[1]?.field, '.spec.paused']],
    ['releases', change.releases('.'), ['.spec.paused', '.metadata.labels.a']],
    ['removes', change.removes('.'), ['.spec.paused']],
  ])('%s', (_, found, expected) => {
    expect(paths(found)).toEqual(expected);
  });

  test('a recreation deletes', () => {
    expect([planned({ action: 'delete' }), planned({ action: 'recreate' }), planned()].map((one) => new Change(one, {}).deletes)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('values of Secrets are hidden', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a' },
      data: { key: 'aHVudGVyMg==' },
      stringData: { other: 'hunter2' },
    };
    const { before, after } = new Change(planned({ apiVersion: 'v1', kind: 'Secret' }), { before: secret, after: secret });
    expect(JSON.stringify([before, after])).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(before?.data).toEqual({ key: '***' });
  });
});

describe('the answers of a rule', () => {
  const judged = (rule: Rule) => checkChange([rule], change);

  test.each<[string, Rule, unknown]>([
    ['nothing', deny(() => undefined), []],
    ['false', deny(() => false), []],
    ['an empty list', deny((one) => one.takesFrom('nobody')), []],
    ['an empty text', deny(() => ''), []],
    ['a text', deny(() => 'no'), [{ rule: 'rule 1', verdict: 'deny', message: 'no' }]],
    ['true, with a message', warn(() => true, { name: 'n', message: 'm' }), [{ rule: 'n', verdict: 'warn', message: 'm' }]],
    [
      'true',
      deny((one) => one.fields.length > 1),
      [{ rule: 'rule 1', verdict: 'deny', message: 'denied by (one) => one.fields.length > 1' }],
    ],
    [
      'fields',
      deny((one) => one.takesFrom(), { message: 'm' }),
      [{ rule: 'rule 1', verdict: 'deny', message: 'm', field: '.spec.replicas' }],
    ],
    ['objections', deny(() => [{ message: 'x', field: '.a' }]), [{ rule: 'rule 1', verdict: 'deny', message: 'x', field: '.a' }]],
  ])('%s', (_, rule, expected) => {
    expect(judged(rule)).toEqual(expected);
  });

  test.each<[string, unknown, RegExp]>([
    ['a promise', () => Promise.resolve(false), /answered with a promise/],
    ['a number', () => 1, /something else than/],
    ['an object', () => ({}), /something else than/],
    ['a list of texts', () => ['a'], /something else than/],
    [
      'an error',
      () => {
        throw new TypeError('no such thing');
      },
      /threw TypeError: no such thing/,
    ],
  ])('%s is refused: nothing is allowed by a rule that does not work', (_, check, message) => {
    expect(() => judged(deny(check as Rule['check'], { name: 'wrong' }))).toThrow(message);
    expect(() => judged(deny(check as Rule['check']))).toThrow(expect.objectContaining({ code: 'rule-failed' }));
  });
});
