import { describe, expect, test } from 'vitest';
import { assessMessage } from '../../corpus/mistakes/assess-message.js';
import { subjects } from '../../corpus/mistakes/index.js';
import { ways, wrongProgram } from '../../corpus/mistakes/mistake.js';
import { mistakesText } from '../../corpus/mistakes/mistakes-text.js';

test('every mistake can be written in a way of ours, and in no way is it the correct program', () => {
  const mistakes = subjects.flatMap((subject) => subject.mistakes.map((mistake) => ({ subject, mistake })));
  expect(mistakes.length).toBeGreaterThanOrEqual(40);
  for (const { subject, mistake } of mistakes) {
    const programs = ways.map((way) => wrongProgram(subject, mistake, way));
    expect(
      programs.slice(0, 2).some((text) => text !== undefined),
      `${subject.kind}: ${mistake.what}`,
    ).toBe(true);
    for (const [index, text] of programs.entries()) expect(text).not.toBe(subject.programs[ways[index] as (typeof ways)[number]] ?? '');
  }
});

test('a change that a program does not have is an error of the table', () => {
  const subject = { kind: 'Pod', programs: { literal: 'a: 1', cdk8s: 'b: 1' }, mistakes: [] };
  const mistake = { what: 'typo', field: 'c', change: ['a: 1', 'c: $&'] } as const;
  expect(wrongProgram(subject, mistake, 'literal')).toBe('c: $&');
  expect(wrongProgram(subject, mistake, 'cdk8s')).toBeUndefined();
  expect(wrongProgram(subject, mistake, 'builder')).toBeUndefined();
  expect(wrongProgram(subject, { ...mistake, ways: { literal: null } }, 'literal')).toBeUndefined();
  expect(() => wrongProgram(subject, { ...mistake, ways: { cdk8s: ['a: 1', 'c: 1'] } }, 'cdk8s')).toThrow('has no "a: 1"');
});

describe('a message', () => {
  const assessed = (text: string, field: string, meant?: string, marked = '', before = '') =>
    assessMessage({ code: 2322, text, marked, before }, { what: 'x', field, ...(meant === undefined ? {} : { meant }) });

  test.each([
    [`'replica' does not exist in type 'DeploymentSpecApply'.`, 'replica'],
    [`Property 'withReplica' does not exist on type 'X'.`, 'replica'],
    [`The types of 'spec.replica' are incompatible.`, 'replica'],
    [`Type '{ port: string; }' is not assignable.`, 'port'],
  ])('%s names the field', (text, field) => {
    expect(assessed(text, field).names).toBe(true);
  });

  test.each([
    [`Type 'string' is not assignable to type 'number'.`, 'type'],
    [`Argument of type 'ServicePortApply' is not assignable.`, 'port'],
    [`Property 'withReplicas' does not exist.`, 'replica'],
  ])('%s does not', (text, field) => {
    expect(assessed(text, field).names).toBe(false);
  });

  test('marks the field, or the argument of its method', () => {
    expect(assessed('x', 'replicas', undefined, 'replicas').marks).toBe(true);
    expect(assessed('x', 'replicas', undefined, "'replicas'").marks).toBe(true);
    expect(assessed('x', 'replicas', undefined, "'2'", '  .withReplicas(').marks).toBe(true);
    expect(assessed('x', 'args', undefined, "'2'", '  .withArgsAtomic(').marks).toBe(true);
    expect(assessed('x', 'replicas', undefined, "'2'", '  .withReplicas(1).withPaused(').marks).toBe(false);
  });

  test('suggests what was meant, or another thing', () => {
    expect(assessed(`Did you mean to write 'replicas'?`, 'replica', 'replicas').suggests).toBe(true);
    expect(assessed(`Did you mean 'withReplicas'?`, 'replica', 'replicas').suggests).toBe(true);
    expect(assessed(`Did you mean 'paused'?`, 'replica', 'replicas').suggests).toBe(false);
    expect(assessed('x', 'replica').suggests).toBeUndefined();
  });

  test('leaves out part of a list', () => {
    expect(assessed('is missing the following properties: a, b, c, d, and 109 more.', 'x').cut).toBe(true);
    expect(assessed('{ a: string; ... 4 more ...; b: string; }', 'x').cut).toBe(true);
    expect(assessed('more than 3', 'x').cut).toBe(false);
  });
});

test('the report counts by way of writing', () => {
  const message = { code: 2561, text: `'replica' does not exist. Did you mean to write 'replicas'?`, marked: 'replica', before: '' };
  const mistake = { what: 'a typo', field: 'replica', meant: 'replicas' };
  const refused = assessMessage(message, mistake);
  const silent = assessMessage({ ...message, text: `'replica' does not exist.` }, mistake);
  const outcomes = {
    literal: silent,
    builder: 'unwritable',
    cdk8s: refused,
    'client-node': 'accepted',
    'kubernetes-models': 'unwritable',
  } as const;
  const text = mistakesText(
    { results: [{ compiler: 'TypeScript 6', rows: [{ kind: 'Deployment', mistake, outcomes }] }], absent: ['Prometheus'] },
    true,
  );
  expect(text).toContain('Without Prometheus: no directory has these CRDs.');
  expect(text).toContain('| cdk8s | 1 | 1 | 0 | 1 of 1 | 1 of 1 | 1 of 1 | 0 | 59 | 59 |');
  expect(text).toContain('| client-node | 1 | 0 | 1 | 0 of 0 | 0 of 0 | 0 of 0 | 0 | – | – |');
  expect(text).toContain('As literal, a peer suggests what was meant and ours does not: 1 (Deployment replica)');
});
