import type { Assembly } from '../../assembly/types.js';
import type { ObjectReference } from '../../engine/addresses/object-reference.js';
import type { Step } from '../../engine/graph/waves.js';
import { changedOmittedValues, redactIntent } from '../../engine/history/omitted-values.js';
import { type NotAsApplied, notAsApplied } from '../../engine/inventory/not-as-applied.js';
import { type PreparedRun, type PrepareOptions, prepareRun } from '../../engine/prepare/prepare-run.js';
import { type RecordedIntent, type RecordedStack, readRecordedStack } from '../../engine/prepare/recorded-stack.js';
import type { FieldChange } from '../../engine/report/plan-types.js';
import { isSecret } from '../../fields/object.js';
import type { Observation } from '../../inspect/status/status.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import { masked } from '../../util/masked.js';
import { DeclaredDifferences, type DifferingField, differingField } from './declared-differences.js';

/** A drifted object that a repair leaves as it is, because its intent is not known to be the one that was applied last. */
export interface UnrepairedObject extends ObjectReference, IntegersAsText {
  readonly event: 'unrepaired';
  readonly reason: NotAsApplied;
  /** The side that the declaration is compared with: the last revision of the stack, or the live fields that the stack owns. */
  readonly comparedWith: 'revision' | 'live';
  /** The number of that revision. */
  readonly revision?: number;
  /** The fields in which the declaration differs. Empty where none is known to differ, such as a value that cannot be compared. */
  readonly fields: readonly DifferingField[];
}

/** A drifted object with the reason why it is not repaired. */
export interface Unrepairable {
  readonly observation: Observation & { readonly step: Step };
  readonly reason: NotAsApplied;
}

/** Names the fields in which the intents of drifted objects differ from what was applied last. Changes nothing. */
export async function describeUnrepaired(
  assembly: Assembly,
  server: ClusterClient,
  options: PrepareOptions,
  found: readonly Unrepairable[],
): Promise<readonly UnrepairedObject[]> {
  if (found.length === 0) return [];
  const run = prepareRun(assembly, server, options);
  const differences = new DeclaredDifferences(run.cluster);
  const recorded = new Map<string, RecordedStack | undefined>();
  const described: UnrepairedObject[] = [];
  for (const one of found) {
    const { stack } = one.observation.step;
    if (!recorded.has(stack.name)) recorded.set(stack.name, await readRecordedStack(run, stack, options));
    described.push(await describe(run, one, recorded.get(stack.name), differences));
  }
  return described;
}

async function describe(
  run: PreparedRun,
  { observation, reason }: Unrepairable,
  last: RecordedStack | undefined,
  differences: DeclaredDifferences,
): Promise<UnrepairedObject> {
  const { status, step, planned = [], known } = observation;
  const { stack, manager, object, apiVersion, kind, namespace, name, lifecycle } = status;
  const place = namespace === undefined ? { name } : { namespace, name };
  const common = { event: 'unrepaired' as const, stack, manager, object, apiVersion, kind, ...place, lifecycle, reason };
  const recorded = last?.intents.get(step.key);
  // A revision of another intent than the inventory's is not of the last apply; that of a Secret is not comparable by digest.
  const isOfLastApply = recorded !== undefined && (recorded.omitted !== undefined || notAsApplied(recorded.step, known) !== 'edited');
  if (last !== undefined && isOfLastApply) {
    const fields = await fieldsSince(run, recorded, step, differences);
    if (fields.length > 0 || reason === 'edited') {
      return {
        ...common,
        comparedWith: 'revision',
        revision: last.revision,
        fields: fields.map((field) => maskedField(run, field, status)),
      };
    }
  }
  const fields = planned.flatMap(({ field, change, oldValue, newValue }) =>
    ownChanges.has(change) && (change !== 'set' || newValue !== undefined) ? [differingField(field, oldValue, newValue)] : [],
  );
  return { ...common, comparedWith: 'live', fields };
}

async function fieldsSince(
  { assembly: { manifest, objects }, keys }: PreparedRun,
  { step: { object: before }, omitted = [] }: RecordedIntent,
  { stack, index, object }: Step,
  differences: DeclaredDifferences,
): Promise<readonly DifferingField[]> {
  if (!isSecret(object)) return differences.between(before, object);
  const declared = objects[manifest.stacks.findIndex(({ name }) => name === stack.name)]?.[index] ?? object;
  const { omitted: values } = redactIntent(declared, await keys.get(stack.manager, false));
  const changed = changedOmittedValues(omitted, values).map((field) => differingField(field, masked, masked));
  return [...(await differences.between(before, redactIntent(object, undefined).object)), ...changed];
}

function maskedField({ secrets }: PreparedRun, { field, before, declared }: DifferingField, object: ObjectReference): DifferingField {
  const values = {
    field,
    ...(before === undefined ? {} : { oldValue: before }),
    ...(declared === undefined ? {} : { newValue: declared }),
  };
  const { oldValue, newValue } = secrets.maskField(values, { apiVersion: object.apiVersion, kind: object.kind });
  return differingField(field, oldValue, newValue);
}

/** The planned changes of fields that nobody else owns, and of those that the stack gives up. */
const ownChanges: ReadonlySet<FieldChange> = new Set(['set', 'change', 'removed', 'defaulted', 'kept', 'rejected', 'item-removed']);
