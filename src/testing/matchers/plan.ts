import { nearest } from '../../builders/nearest.js';
import type { FieldChange, PlannedAction, PlannedField, PlannedObject } from '../../deploy/index.js';
import { pathCovers } from '../../fields/index.js';
import { isJsonObject, type Json, jsonEqual } from '../../util/json.js';
import { wrongUse } from '../wrong-use.js';
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

const actions: readonly string[] = Object.keys({
  create: true,
  recreate: true,
  update: true,
  unchanged: true,
  release: true,
  retain: true,
  delete: true,
  absent: true,
  wait: true,
  blocked: true,
} satisfies Record<PlannedAction, true>);

const changes: readonly string[] = Object.keys({
  set: true,
  change: true,
  reorder: true,
  server: true,
  same: true,
  'co-own': true,
  force: true,
  yield: true,
  conflict: true,
  removed: true,
  defaulted: true,
  kept: true,
  rejected: true,
  'item-removed': true,
} satisfies Record<FieldChange, true>);

/** The expected plan, by object, such as `{ 'Deployment shop/web': 'update' }`. Every other object must be unchanged. */
export type ExpectedPlan = Readonly<Record<string, ExpectedObject>>;

/**
 * Passes if a plan has these actions and changes, and leaves every other object unchanged.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function matchPlan(received: unknown, expected: ExpectedPlan): MatchResult {
  const planned = plannedObjects(received);
  if (planned === undefined) throw wrongUse('The value under test', received, 'a plan: `await cluster.plan(app)`');
  checkExpected(
    expected,
    planned.flatMap(({ fields }) => fields.map(({ field }) => field)),
  );
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

function checkExpected(expected: ExpectedPlan, known: readonly string[]): void {
  if (!isJsonObject(expected)) throw wrongUse('The expected plan', expected, "an object such as { 'Deployment shop/web': 'update' }");
  for (const [name, object] of Object.entries(expected)) {
    const of = `The expected plan of ${name}`;
    if (typeof object !== 'string' && !isJsonObject(object)) throw wrongUse(of, object, 'an action, or an object such as { fields: {} }');
    const { action, fields = {} } = (typeof object === 'string' ? { action: object } : object) as Exclude<ExpectedObject, string>;
    if (typeof object !== 'string') checkMembers(of, object, ['action', 'fields']);
    if (action !== undefined && !actions.includes(action)) throw wrongUse(`${of}: the action`, action, `one of ${actions.join(', ')}`);
    if (!isJsonObject(fields)) throw wrongUse(`${of}: the member \`fields\``, fields, "an object such as { '.spec.replicas': 'change' }");
    for (const [field, change] of Object.entries(fields)) {
      fieldPath(field, known);
      checkChange(`${of}: the change of ${field}`, change);
    }
  }
}

function checkChange(of: string, change: ExpectedChange): void {
  const word = typeof change === 'string' ? change : isJsonObject(change) ? change.change : undefined;
  if (typeof change !== 'string' && !isJsonObject(change))
    throw wrongUse(of, change, "a word such as 'change', or an object such as { newValue: 5 }");
  if (typeof change !== 'string') checkMembers(of, change, ['change', 'oldValue', 'newValue']);
  if (word !== undefined && !changes.includes(word as string)) throw wrongUse(of, word, `one of ${changes.join(', ')}`);
}

function checkMembers(of: string, value: object, members: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) throw wrongUse(`${of}: a member`, unknown, `the members ${members.join(', ')} only`);
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
  const known = fields.map(({ field }) => field);
  const wanted = Object.entries(expected).map(([field, change]) => ({ field: fieldPath(field, known), change: changeOf(change) }));
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
  return typeof expected === 'string' ? { change: expected } : expected;
}

function fits(planned: PlannedField, expected: ChangeDetails): boolean {
  if (expected.change !== undefined && expected.change !== planned.change) return false;
  return (['oldValue', 'newValue'] as const).every((name) => !(name in expected) || isValue(planned[name], expected[name]));
}

/** An asymmetric matcher, such as `expect.any(Number)`, decides itself. */
function isValue(planned: Json | undefined, expected: unknown): boolean {
  return isAsymmetric(expected) ? expected.asymmetricMatch(planned) : jsonEqual(planned, expected as Json);
}

function isAsymmetric(value: unknown): value is { asymmetricMatch(received: unknown): boolean } {
  return typeof value === 'object' && value !== null && 'asymmetricMatch' in value && typeof value.asymmetricMatch === 'function';
}

function fieldText({ change, oldValue, newValue, owners = [] }: PlannedField): string {
  const values = oldValue === undefined && newValue === undefined ? '' : ` ${valueText(oldValue)} → ${valueText(newValue)}`;
  const of = owners.length === 0 ? '' : ` (${owners.map(({ manager }) => manager).join(', ')})`;
  return `${change}${values}${of}`;
}

function changeText(expected: ChangeDetails): string {
  const { change = 'a change', ...values } = expected;
  const texts = Object.entries(values).map(([name, value]) => `${name} ${isAsymmetric(value) ? String(value) : valueText(value)}`);
  return [change, ...texts].join(', ');
}
