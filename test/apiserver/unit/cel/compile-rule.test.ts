import { describe, expect, test } from 'vitest';
import { Budget } from '../../../../src/apiserver/cel/evaluate/budget.js';
import { compileRule, rulesOf } from '../../../../src/apiserver/cel/rules/compile-rule.js';
import { evaluateRule, maxObjectCost } from '../../../../src/apiserver/cel/rules/evaluate-rule.js';
import { jsonValue } from '../../../../src/apiserver/cel/schema/json-value.js';
import { type SchemaType, schemaType } from '../../../../src/apiserver/cel/schema/schema-type.js';
import type { Json } from '../../../../src/util/json.js';

/** What cannot be put into a cluster: expressions that are hostile, and evaluations that have to end. */
const type = schemaType(
  { type: 'object', properties: { l: { type: 'array', items: { type: 'integer' } }, s: { type: 'string' }, d: { type: 'string' } } },
  false,
) as SchemaType;
const compiled = (rule: string) => compileRule(rulesOf({ 'x-kubernetes-validations': [{ rule, message: 'm' }] } as never)[0]!, type);
const evaluate = (rule: string, self: object, budget = new Budget(maxObjectCost)) =>
  evaluateRule(compiled(rule), { self: jsonValue(self as Json, type), oldSelf: undefined }, budget);

describe('an expression', () => {
  test.each([
    ['nested brackets', `${'('.repeat(5_000)}true${')'.repeat(5_000)}`, 'expression recursion limit exceeded: 250'],
    ['nested lists', `${'['.repeat(5_000)}1${']'.repeat(5_000)} == []`, 'expression recursion limit exceeded: 250'],
    ['a chain of fields', `self${'.l'.repeat(5_000)}`, 'expression recursion limit exceeded: 250'],
    ['a sum', `1${'+1'.repeat(5_000)} > 0`, 'expression recursion limit exceeded: 250'],
    ['a long text', 'x'.repeat(100_001), 'expression code point size exceeds limit: size: 100001, limit 100000'],
    ['a text without an end', `"${'a'.repeat(10_000)}`, 'token recognition error'],
    ['a name of every object', 'constructor', "undeclared reference to 'constructor' (in container '')"],
    ['a method of every object', 'self.s.toString()', "undeclared reference to 'toString' (in container '')"],
    ['a field of every object', 'self.__proto__', "undefined field '__proto__'"],
  ])('with %s is refused', (_, rule, message) => {
    expect(compiled(rule).error).toContain(message);
  });

  test('with ten thousand conditions is evaluated', () => {
    expect(evaluate(Array.from({ length: 10_000 }, () => 'true').join(' && '), {}).kind).toBe('holds');
  });

  test('with wide characters marks the right place', () => {
    expect(compiled('"😀" + x').error).toBe(
      "compilation failed: ERROR: <input>:1:7: undeclared reference to 'x' (in container '')\n | \"😀\" + x\n | .．....^",
    );
  });
});

describe('an evaluation ends at its budget', () => {
  const l = Array.from({ length: 500 }, (_, index) => index);
  test.each([
    ['nested loops', 'self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))'],
    ['texts that double', 'self.l.map(x, self.l.map(y, self.s + self.s + self.s)).size() > 0'],
    ['a range', 'lists.range(100000000).size() > 0'],
    ['distinct items', 'lists.range(5000).distinct().size() > 0'],
    ['sets', 'sets.contains(lists.range(3000), lists.range(3000))'],
    ['a loop over created items', 'lists.range(900000).all(x, x >= 0)'],
    ['a list that has itself many times, compared', `[[1]]${'.map(x, [x, x])'.repeat(28)}.all(x, x == x)`],
    ['a list that has itself many times, as a text', `[[1]]${'.map(x, [x, x])'.repeat(28)}.all(x, "%s".format([x]) != "")`],
    ['a text longer than any can be', 'self.s.replace("x", self.s + self.s + self.s + self.s + self.s + self.s).size() > 0'],
  ])('%s', (_, rule) => {
    const outcome = evaluate(rule, { l, s: 'x'.repeat(10_000) });
    expect(outcome).toMatchObject({ kind: 'exhausted', message: expect.stringContaining('cost') });
  });

  test('that all rules of an object share', () => {
    const budget = new Budget(1_000);
    expect(evaluate('self.l.all(x, x >= 0)', { l }, budget)).toMatchObject({
      kind: 'exhausted',
      message: 'validation failed due to running out of cost budget, no further validation rules will be run',
    });
  });
});

describe('values', () => {
  test.each<readonly [self: object, rule: string]>([
    [{ l: [9007199254740993n] }, 'self.l[0] == 9007199254740993'],
    [{ s: '__proto__' }, '{self.s: 1}[self.s] == 1'],
    [{ s: '😀' }, 'self.s.size() == 1 && self.s.charAt(0) == "😀"'],
    [{ s: `${'a'.repeat(30)}!` }, '!self.s.matches("^(a+)+$")'],
    [{ s: null }, '!has(self.s)'],
  ])('%o: %s', (self, rule) => {
    expect(evaluate(rule, self).kind).toBe('holds');
  });
});
