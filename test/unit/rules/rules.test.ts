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
    ['takes from managers by a pattern', change.takesFrom('argocd*'), ['.spec.replicas']],
    ['takes from any manager by a pattern', change.takesFrom('*'), ['.spec.replicas']],
    ['takes from managers by another pattern', change.takesFrom('argocd-controllers*'), []],
    ['declares at a path without a dot', change.declares('spec.replicas'), ['.spec.replicas']],
    ['declares in any item at a path without a dot', change.declares('spec.template.spec.containers[*].image'), [fields[1]?.field]],
    ['declares at a name in brackets', change.declares('spec["replicas"]'), ['.spec.replicas']],
    ['changes at a path without a dot', change.changes('spec.replicas'), ['.spec.replicas']],
    ['releases at a path without a dot', change.releases('metadata.labels'), ['.metadata.labels.a']],
    ['removes at a path without a dot', change.removes('spec.paused'), ['.spec.paused']],
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

  test('takes from stacks by a pattern', () => {
    const taken = field('.spec.replicas', 'force', { owners: [owner('fieldwise/shop/default/gateway', 'gateway')] });
    const { takesFrom } = Change.prototype;
    const ask = (pattern: string) => takesFrom.call(new Change(planned({ fields: [taken] }), {}), pattern).length;
    expect(['gateway', 'gate*', 'fieldwise/*', 'web*', 'gatewa'].map(ask)).toEqual([1, 1, 1, 0, 0]);
  });

  test.each<[string, (one: Change) => unknown]>([
    ['an open bracket', (one) => one.changes('.data[')],
    ['an open bracket, without a dot', (one) => one.declares('data[')],
    ['an empty item', (one) => one.releases('.spec.containers[].image')],
    ['an index', (one) => one.removes('.spec.containers[0].image')],
    ['two dots', (one) => one.changes('.spec..replicas')],
    ['a dot at the end', (one) => one.changes('.spec.')],
    ['nothing', (one) => one.changes('')],
    ['a name in brackets that is no JSON text', (one) => one.changes('.data["\\q"]')],
    ['no text', (one) => one.changes(undefined as never)],
    ['a pattern of another form', (one) => one.takesFrom('*-controller')],
    ['no name of a manager', (one) => one.takesFrom('')],
    ['a manager that is no text', (one) => one.takesFrom({ name: 'argocd' } as never)],
  ])('%s is an error, since no field could ever match', (_, ask) => {
    expect(() => ask(change)).toThrow(expect.objectContaining({ code: 'option-invalid' }));
    expect(() => checkChange([deny((one) => ask(one) as never)], change)).toThrow(
      expect.objectContaining({ code: 'rule-failed', message: expect.stringMatching(/has the value .*\. Pass /) }),
    );
  });

  test('a name with special characters needs no brackets if a field has it', () => {
    const odd = new Change(planned({ fields: [field('.data.a b]', 'set', { newValue: '1' })] }), {});
    expect(paths(odd.changes('data.a b]'))).toEqual(['.data.a b]']);
    expect(paths(odd.changes('.data["a b]"]'))).toEqual(['.data.a b]']);
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
    ['null', deny(() => null), []],
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
    [
      'a forgotten return',
      (one: Change) => {
        one.changes('.spec.replicas');
      },
      /answered undefined, as a function without `return` does/,
    ],
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

describe('a rule that changes what it is given fails, and hides nothing from the rules behind it and from the plan', () => {
  const states = () => {
    const object = { kind: 'Deployment', metadata: { labels: { a: 'b' } }, spec: { replicas: 2, ports: [1, 2] } };
    return { before: object, after: object, cluster: { uid: 'u' } };
  };
  type Writable = Record<string, never> & { fields: PlannedField[]; after: ReturnType<typeof states>['after'] };
  test.each<[string, (one: Writable, text: Change) => unknown]>([
    ['the list of fields is emptied', (one) => (one.fields.length = 0)],
    ['the list of fields is reversed', (one) => one.fields.reverse()],
    ['the list of fields is sorted', (one) => one.fields.sort()],
    ['a field is shifted', (one) => one.fields.shift()],
    ['a field of an answer is changed', (_, change) => Object.assign(change.takesFrom()[0] as object, { change: 'same' })],
    ['an owner is renamed', (_, change) => Object.assign(change.takesFrom()[0]?.owners?.[0] as object, { manager: 'x' })],
    ['a part of the object is deleted', (one) => delete (one.after as { spec?: object }).spec],
    ['a value of the object is set', (one) => Object.assign(one.after.metadata.labels, { a: 'c' })],
    ['a list of the object is sorted', (one) => one.after.spec.ports.sort()],
    ['the uid of the cluster is set', (_, change) => Object.assign(change.cluster as object, { uid: 'x' })],
    ['the action is set', (one) => Object.assign(one, { action: 'unchanged' })],
    ['a function is replaced', (one) => Object.assign(one, { takesFrom: () => [] })],
    ['a function of all changes is replaced', (one) => Object.assign(Object.getPrototypeOf(one), { takesFrom: () => [] })],
    ['the prototype is replaced', (one) => Object.setPrototypeOf(one, {})],
  ])('%s', (_, act) => {
    const object = planned({ fields });
    const given = states();
    const frozen = new Change(object, given);
    const [before, text] = [structuredClone(object), JSON.stringify(frozen)];
    const check = (one: Change) => {
      act(one as unknown as Writable, one);
      return false;
    };
    expect(() => checkChange([deny(check)], frozen)).toThrow(expect.objectContaining({ code: 'rule-failed' }));
    expect([object, given, JSON.stringify(frozen)]).toEqual([before, states(), text]);
    const swallowed = (one: Change) => {
      try {
        act(one as unknown as Writable, one);
      } catch {}
      return false;
    };
    const judgments = checkChange([deny(swallowed), deny((one) => one.takesFrom('argocd-controller'), { name: 'second' })], frozen);
    expect(judgments).toMatchObject([{ rule: 'second', field: '.spec.replicas' }]);
  });
});
