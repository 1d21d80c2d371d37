import { nearest } from '../../builders/nearest.js';
import type { FieldChange, PlannedAction, PlannedField, PlannedObject } from '../../deploy/index.js';
import { pathCovers } from '../../fields/index.js';
import { invalidArgument } from '../../util/invalid-argument.js';
import { isJsonObject, type Json, jsonEqual } from '../../util/json.js';
import { fieldPath } from './field-path.js';
import { type MatchResult, section, valueText } from './match-result.js';
import { plannedObjects } from './results.js';

/** The expected change of a field: its word, or the word with values. */
export type ExpectedChange =
  | FieldChange
  | {
      readonly change?: FieldChange;
      /** The live value. */
      readonly oldValue?: unknown;
      /** The value after the deploy. */
      readonly newValue?: unknown;
    };

/** The expected plan of an object: its action, or exactly these changes of fields. A field stands for all below it. */
export type ExpectedObject =
  | PlannedAction
  | { readonly action?: PlannedAction; readonly fields?: Readonly<Record<string, ExpectedChange>> };

/** The expected plan, by object, such as `{ 'Deployment shop/web': 'update' }`. Every other object must be unchanged. */
export type ExpectedPlan = Readonly<Record<string, ExpectedObject>>;

/**
 * Passes if a plan has these actions and changes, and leaves every other object unchanged.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function matchPlan(received: unknown, expected: ExpectedPlan): MatchResult {
  const planned = plannedObjects(received);
  if (planned === undefined) throw invalidArgument('The value under test', received, 'a plan: `await cluster.plan(app)`');
  checkExpected(expected);
  const problems = [
    ...Object.entries(expected).flatMap(([name, object]) => objectProblems(name, object, planned)),
    ...planned.filter(({ object, action }) => action !== 'unchanged' && !Object.hasOwn(expected, object)).map(unexpectedText),
  ];
  const plan = section(
    'The plan:',
    planned.map(({ object, action }) => `${object}: ${action}`),
  );
  const message = () =>
    problems.length === 0 ? `The plan is as expected.${plan}` : `The plan differs.${section('Differences:', problems)}${plan}`;
  return { pass: problems.length === 0, message };
}

function checkExpected(expected: ExpectedPlan): void {
  const isObject = (value: unknown) => typeof value === 'string' || isJsonObject(value);
  if (isJsonObject(expected) && Object.values(expected).every(isObject)) return;
  throw invalidArgument('The expected plan', expected, "an object such as { 'Deployment shop/web': 'update' }");
}

function unexpectedText({ object, action, error, fields }: PlannedObject): string {
  const shown = fields.filter(isDifference).slice(0, 3);
  const more = shown.length === 0 ? '' : ` (${shown.map(({ field, change }) => `${change} ${field}`).join(', ')}…)`;
  return `${object}: ${action}, and not expected${error === undefined ? more : `: ${error.message}`}`;
}

function objectProblems(name: string, expected: ExpectedObject, planned: readonly PlannedObject[]): readonly string[] {
  const found = planned.filter(({ object }) => object === name);
  if (found.length === 0)
    return [
      `${name}: not in the plan${nearest(
        name,
        planned.map(({ object }) => object),
      )}`,
    ];
  const { action, fields } = typeof expected === 'string' ? { action: expected } : expected;
  return found.flatMap((object) => [
    ...(action === undefined || action === object.action ? [] : [`${name}: ${object.action} instead of ${action}${reasonOf(object)}`]),
    ...(fields === undefined ? [] : fieldProblems(object, fields)),
  ]);
}

function reasonOf({ error, reason }: PlannedObject): string {
  const text = error?.message ?? reason;
  return text === undefined ? '' : ` (${text})`;
}

function fieldProblems({ object, fields }: PlannedObject, expected: Readonly<Record<string, ExpectedChange>>): readonly string[] {
  const wanted = Object.entries(expected).map(([field, change]) => ({ field: fieldPath(field), change: changeOf(change) }));
  const isWanted = (planned: PlannedField) => wanted.some(({ field, change }) => pathCovers(field, planned.field) && fits(planned, change));
  const missing = wanted.flatMap(({ field, change }) => {
    const covered = fields.filter((planned) => pathCovers(field, planned.field));
    if (covered.some((planned) => fits(planned, change))) return [];
    const instead =
      covered.length === 0
        ? `not in the plan${nearest(
            field,
            fields.map((planned) => planned.field),
          )}`
        : covered.map(fieldText).join('; ');
    return [`${object} ${field}: expected ${changeText(change)}, found ${instead}`];
  });
  const others = fields
    .filter((planned) => isDifference(planned) && !isWanted(planned))
    .filter((planned) => !wanted.some(({ field }) => field === planned.field));
  return [...missing, ...others.map((planned) => `${object} ${planned.field}: ${fieldText(planned)}, and not expected`)];
}

/** Returns true unless the stack declares what it already owned. */
function isDifference({ change, gained }: PlannedField): boolean {
  return gained === true || (change !== 'same' && change !== 'co-own');
}

type ChangeDetails = Exclude<ExpectedChange, string>;

function changeOf(expected: ExpectedChange): ChangeDetails {
  if (typeof expected === 'string') return { change: expected };
  if (isJsonObject(expected)) return expected;
  throw invalidArgument('The expected change', expected, "a word such as 'change', or an object such as { newValue: 5 }");
}

function fits(planned: PlannedField, expected: ChangeDetails): boolean {
  if (expected.change !== undefined && expected.change !== planned.change) return false;
  return (['oldValue', 'newValue'] as const).every((name) => !(name in expected) || jsonEqual(planned[name], expected[name] as Json));
}

function fieldText({ change, oldValue, newValue, owners = [] }: PlannedField): string {
  const values = oldValue === undefined && newValue === undefined ? '' : ` ${valueText(oldValue)} → ${valueText(newValue)}`;
  const of = owners.length === 0 ? '' : ` (${owners.map(({ manager }) => manager).join(', ')})`;
  return `${change}${values}${of}`;
}

function changeText(expected: ChangeDetails): string {
  const { change = 'a change', ...values } = expected;
  const texts = Object.entries(values).map(([name, value]) => `${name} ${valueText(value)}`);
  return [change, ...texts].join(', ');
}
