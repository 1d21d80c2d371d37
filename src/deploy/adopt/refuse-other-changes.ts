import { managersOf, objectText } from '../../assembly/identity.js';
import { trackingKey } from '../../assembly/tracking-key.js';
import { addressOf } from '../../engine/addresses/address.js';
import { conflictPolicyFor } from '../../engine/apply/conflict-policy.js';
import type { Step } from '../../engine/graph/waves.js';
import { emptyFieldSet, type FieldPath, formatPath, has, membersOf, valueAt } from '../../fields/index.js';
import { uidOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf, managedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';

/**
 * Refuses an adoption whose apply would change a value of the object, of whatever field: it changes owners only. The server itself says
 * what the apply would change, in a dry run with force. Fields that a policy leaves to their owners do not count.
 *
 * @returns the object as it will be after the apply.
 * @throws FieldwiseError `handoff-changes-values`, with nothing changed.
 */
export async function refuseOtherChanges(cluster: ClusterClient, step: Step, live: JsonObject): Promise<JsonObject> {
  const { intent, object, stack } = step;
  const body = { ...object, metadata: { ...object.metadata, uid: uidOf(live) } };
  const address = await addressOf(cluster, intent);
  const { object: after } = await cluster.apply(address, body, { manager: stack.manager, force: true, dryRun: true });
  const fields = changedPaths(step, live, after)
    .filter((path) => !isYielded(step, live, path))
    .map(formatPath);
  if (fields.length === 0) return after;
  const [declared] = intent.declaredBy;
  throw new FieldwiseError(
    'handoff-changes-values',
    'conflict',
    `The apply of stack ${stack.name} would change more than owners: ${[...new Set(fields)].sort().join(', ')}`,
    {
      location: { object: objectText(intent), field: fields[0] as string, ...declared },
      next: `Nothing was changed. Run \`fieldwise deploy ${stack.name}\` first, which shows and asks what it changes, or declare the present values.`,
    },
  );
}

/** Returns the fields that the managers of a step own before or after its apply, and whose values it changes. */
function changedPaths({ stack }: Step, live: JsonObject, after: JsonObject): readonly FieldPath[] {
  const tracking = trackingKey(stack.manager);
  return managersOf(stack).flatMap((manager) =>
    [live, after].flatMap((state) =>
      membersOf(applyEntryOf(state, manager)?.fields ?? emptyFieldSet).flatMap(({ path, leaf }) => {
        const last = path.at(-1);
        if (!leaf || (last?.kind === 'field' && last.name === tracking)) return [];
        return jsonEqual(valueAt(live, path), valueAt(after, path)) ? [] : [path];
      }),
    ),
  );
}

/** Returns true if the policy leaves a field to each of its other owners. */
function isYielded({ intent, stack }: Step, live: JsonObject, path: FieldPath): boolean {
  const owners = managedFieldsOf(live).filter(({ manager, fields }) => manager !== stack.manager && has(fields, path));
  return owners.length > 0 && owners.every(({ manager }) => conflictPolicyFor(formatPath(path), manager, intent.policy) === 'yield');
}
