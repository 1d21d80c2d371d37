import { managersOf, objectText } from '../../assembly/identity.js';
import { type FieldSet, leafTexts } from '../../fields/index.js';
import { appliesLastApplied, applyEntryOf, isOfClientSideKubectl, lastAppliedOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { type FieldsInLastApplied, fieldsInLastApplied } from './fields-in-last-applied.js';
import { declaredFields } from './ownership-transfers.js';

/** The fields of a stack that client-side apply will delete or reset, as all commands tell it. */
export interface LastAppliedDiagnostic {
  readonly code: 'in-last-applied';
  /** The client and the fields, without their values, as a clause without a full stop. */
  readonly message: string;
  readonly next: string;
}

/**
 * Returns the fields of stacks that stand in the last-applied annotation of another client; undefined where none does, and where a stack
 * itself applies the annotation. Metadata alone is enough.
 *
 * @param owned the fields of the stacks.
 * @param managers the field managers of the stacks.
 */
export function lastAppliedDiagnostic(object: JsonObject, owned: FieldSet, managers: readonly string[]): LastAppliedDiagnostic | undefined {
  const held = fieldsInLastApplied(object, owned);
  if (held === undefined || held.writers.some(({ manager }) => managers.includes(manager))) return undefined;
  const client = held.writers.map(({ manager }) => manager).join(' and ') || 'kubectl';
  const fields = leafTexts(held.fields);
  const more = fields.length > maxListed ? ` and ${fields.length - maxListed} more` : '';
  return {
    code: 'in-last-applied',
    message: `${client} has ${fields.slice(0, maxListed).join(', ')}${more} in the last-applied annotation: its next apply deletes each of these fields that its file lacks, and resets each that its file has with another value`,
    next: nextStep(held),
  };
}

const maxListed = 10;

function nextStep({ writers }: FieldsInLastApplied): string {
  const applier = writers.find(appliesLastApplied);
  if (applier !== undefined) return `Remove the annotation from the files that ${applier.manager} applies, then run \`fieldwise adopt\`.`;
  const [first] = writers;
  const from = first === undefined || isOfClientSideKubectl({ ...first, operation: 'Update' }) ? '' : ` --from ${first.manager}`;
  return `Run \`fieldwise adopt${from}\` before a field is dropped from the file (docs/adopt.md).`;
}

/** Returns the warning about an object of a stack as it is, or will be, after the apply of its intent. */
export function lastAppliedWarning({ stack, intent, object }: Step, after: JsonObject): RunDiagnostic | undefined {
  if (lastAppliedOf(after) === undefined) return undefined;
  const managers = managersOf(stack);
  const manager = managers.find((candidate) => applyEntryOf(after, candidate) !== undefined);
  const found = manager === undefined ? undefined : lastAppliedDiagnostic(after, declaredFields(after, manager, object), managers);
  return found && { event: 'warning', ...found, message: `${objectText(intent)} of stack ${stack.name}: ${found.message}` };
}
