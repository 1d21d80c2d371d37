import type { IntentManifest } from '../../assembly/types.js';
import { conflictPolicyFor } from '../../engine/apply/conflict-policy.js';
import { fieldOf, type OmittedValue, omittedValueIn } from '../../engine/history/omitted-values.js';
import type { KeptObject } from '../../engine/history/restore-values.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import type { OpenHistory, OpenRevision } from '../../engine/prepare/open-revision.js';
import { maskField } from '../../engine/secrets/secret-masker.js';
import { type DriftOptions, type ObjectDrift, report } from '../../inspect/drift/drift.js';
import { type DriftedField, driftedField } from '../../inspect/drift/drifted-field.js';
import { type ObjectState, type Observation, observeObjects } from '../../inspect/status/status.js';
import { ownersAt } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';

/**
 * Reports the fields that others have changed since the last revision. Values of Secrets that others
 * changed, took or removed are among them, although the revision does not contain these values.
 */
export async function reportChangesOfOthers(
  opened: OpenHistory,
  revision: OpenRevision,
  options: DriftOptions,
  host: (event: ObjectDrift) => void,
): Promise<void> {
  const observations = await observeObjects(revision.whole, opened.cluster, options);
  const names = OwnerNameResolver.of(revision.whole.manifest);
  report(withLostValues(observations, opened, revision, names), (event) => {
    if (event.event === 'drift') host(event);
  });
}

const comparableStates: ReadonlySet<ObjectState> = new Set(['in-sync', 'rewritten', 'pending', 'drifted', 'released']);

/** Adds the values of Secrets that the stack has lost: they are not declared again, so nothing else compares them. */
function withLostValues(
  observations: readonly Observation[],
  { stack }: OpenHistory,
  { recorded, kept }: OpenRevision,
  names: OwnerNameResolver,
): readonly Observation[] {
  return observations.map((observation) => {
    const { step, status, known } = observation;
    const index = step?.index;
    const object = kept.find((one) => one.index === index);
    if (index === undefined || object?.live === undefined || known?.uid === undefined) return observation;
    if (status.stack !== stack.name || !comparableStates.has(status.state)) return observation;
    const intent = recorded.stack.intents[index] as IntentManifest;
    const lost = lostFields(object, object.live, { intent, omitted: recorded.omitted.get(index) ?? [], names });
    if (lost.length === 0) return observation;
    return { ...observation, status: { ...status, state: 'drifted' as const, drift: [...status.drift, ...lost] } };
  });
}

interface Declared {
  readonly intent: IntentManifest;
  readonly omitted: readonly OmittedValue[];
  readonly names: OwnerNameResolver;
}

/** Returns the drift of values that the stack no longer owns, or that no longer exist. */
function lostFields({ lost, equal, gone }: KeptObject, live: JsonObject, { intent, omitted, names }: Declared): readonly DriftedField[] {
  return omitted.flatMap((value) => {
    const field = fieldOf(value);
    const current = omittedValueIn(live, value);
    const hidden = maskField({ field, newValue: '', ...(current === undefined ? {} : { oldValue: current }) }, live);
    if (gone.includes(field)) return [driftedField(hidden, 'removed', live, names)];
    if (!lost.includes(field)) return [];
    const isLeft = ownersAt(live, field).some(({ manager }) => conflictPolicyFor(field, manager, intent.policy) === 'yield');
    return isLeft ? [] : [driftedField(hidden, equal.includes(field) ? 'ownership-lost' : 'changed', live, names)];
  });
}
