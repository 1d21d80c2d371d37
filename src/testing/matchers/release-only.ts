import { nearest } from '../../builders/nearest.js';
import type { ObjectReport, PlannedObject } from '../../deploy/index.js';
import { pathCovers } from '../../fields/index.js';
import { isJsonObject } from '../../util/json.js';
import { wrongUse } from '../wrong-use.js';
import { fieldPath } from './field-path.js';
import { type MatchResult, section } from './match-result.js';
import { failureLines, planFailureLines, plannedObjects, reportedObjects } from './results.js';

/** Fields of any object, or fields by object, such as `{ 'Deployment shop/web': ['.spec.replicas'] }`. A field stands for all below it. */
export type ExpectedFields = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** The loss of one field, of an item or of a whole object. */
interface Loss {
  readonly object: string;
  /** Absent for a whole object. */
  readonly field?: string;
  readonly how: string;
  /** True if the stack gave the field up; false for fields and objects that are lost besides. */
  readonly released: boolean;
}

/**
 * Passes if a deploy, a destroy or a plan releases exactly these fields, deletes no object, and takes no field of others along.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function matchReleaseOnly(received: unknown, expected: ExpectedFields): MatchResult {
  const losses = lossesOf(received);
  const wanted = expectedOf(
    expected,
    losses.flatMap(({ field }) => (field === undefined ? [] : [field])),
  );
  if (!Array.isArray(expected)) requireKnownObjects(Object.keys(expected), received);
  const failures = [...failureLines(reportedObjects(received) ?? []), ...planFailureLines(plannedObjects(received) ?? [])];
  const others = losses.filter((loss) => !wanted.some((one) => isExpected(loss, one)));
  const kept = wanted.filter((one) => !losses.some((loss) => isExpected(loss, one)));
  const pass = failures.length === 0 && others.length === 0 && kept.length === 0;
  const message = () =>
    pass
      ? `Only the expected fields are released.${section('Released:', losses.map(lossText))}`
      : `Not exactly the expected fields are released.${[
          section('Failures:', failures),
          section('Expected, and not released:', kept.map(expectedText)),
          section('Not expected:', others.map(lossText)),
          section('Released as expected:', losses.filter((loss) => !others.includes(loss)).map(lossText)),
        ].join('')}`;
  return { pass, message };
}

interface ExpectedField {
  /** Absent for any object. */
  readonly object?: string;
  readonly field: string;
}

function expectedOf(expected: ExpectedFields, known: readonly string[]): readonly ExpectedField[] {
  if (Array.isArray(expected)) return (expected as readonly string[]).map((field) => ({ field: fieldPath(field, known) }));
  if (isJsonObject(expected) && Object.values(expected).every(Array.isArray))
    return Object.entries(expected as Record<string, readonly string[]>).flatMap(([object, fields]) =>
      fields.map((field) => ({ object, field: fieldPath(field, known) })),
    );
  throw wrongUse('The expected fields', expected, "a list of paths, or lists by object: { 'Deployment shop/web': ['.spec.replicas'] }");
}

/** @throws FieldwiseError `option-invalid` for an object that the result does not have. */
function requireKnownObjects(names: readonly string[], received: unknown): void {
  const objects = (reportedObjects(received) ?? plannedObjects(received) ?? []).map(({ object }) => object);
  const unknown = names.find((name) => !objects.includes(name));
  if (unknown === undefined) return;
  throw wrongUse('An object of the expected fields', unknown, `objects of the result${nearest(unknown, objects)}`);
}

function isExpected({ object, field, released }: Loss, expected: ExpectedField): boolean {
  if (!released || field === undefined || (expected.object !== undefined && expected.object !== object)) return false;
  return pathCovers(expected.field, field);
}

function lossesOf(received: unknown): readonly Loss[] {
  const reported = reportedObjects(received);
  if (reported !== undefined) return reported.flatMap(lossesOfReport);
  const planned = plannedObjects(received);
  if (planned !== undefined) return planned.flatMap(lossesOfPlan);
  throw wrongUse('The value under test', received, 'the result of `await cluster.deploy(…)`, `destroy` or `plan`');
}

function lossesOfReport({ object, result, released = [], collateral = [] }: ObjectReport): readonly Loss[] {
  const whole = result === 'deleted' || result === 'recreated' ? [{ object, how: `the object was ${result}`, released: false }] : [];
  return [
    ...whole,
    ...released.map(({ field, change }) => ({ object, field, how: change, released: true })),
    ...collateral.map(({ field, from }) => ({ object, field, how: `of ${from}, removed along with an item`, released: false })),
  ];
}

const releaseChanges: readonly string[] = ['removed', 'defaulted', 'kept', 'rejected', 'item-removed'];

function lossesOfPlan({ object, action, fields }: PlannedObject): readonly Loss[] {
  const whole = action === 'delete' || action === 'recreate' ? [{ object, how: `${action}: the whole object`, released: false }] : [];
  return [
    ...whole,
    ...fields.flatMap(({ field, change, reason, collateral = [] }) => {
      if (!releaseChanges.includes(change)) return [];
      const how = reason === undefined ? change : `${change}, ${reason}`;
      return [
        { object, field, how, released: change !== 'rejected' },
        ...collateral.map((other) => ({
          object,
          field: other.field,
          how: `of ${other.owners.map(({ manager }) => manager).join(', ')}, removed along with an item`,
          released: false,
        })),
      ];
    }),
  ];
}

function lossText({ object, field, how }: Loss): string {
  return field === undefined ? `${object}: ${how}` : `${object} ${field}: ${how}`;
}

function expectedText({ object, field }: ExpectedField): string {
  return object === undefined ? field : `${object} ${field}`;
}
