import { formatPath, membersOf } from '../../fields/index.js';
import { managedFieldsOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { provesOwnership, unprovedReason } from '../object/ownership-proof.js';
import { coOwners, deletesShared, keepersOf, ownsBeyondMetadata, retentionReason } from '../object/remove-object.js';
import { type OtherStacks, removedBeforeTransferText } from '../transfer/other-stacks.js';

/** An owned object that a stack no longer declares and has the right to delete. */
export interface DeletionCandidate {
  readonly entry: InventoryEntry;
  /** Name of the stack. */
  readonly stack: string;
  /** The stack's field manager, then those it had before renames. */
  readonly managers: readonly [string, ...string[]];
  readonly otherStacks: OtherStacks | undefined;
  readonly deleteShared: boolean;
}

/**
 * Decides whether an object is released instead of deleted, because nothing shows that the stack applied it or because others apply fields
 * to it, share it in the run, or keep something in it; and returns the reason for plans and questions.
 *
 * @param foreign the objects that others keep in it.
 */
export function deletionDecision(
  live: JsonObject,
  { entry, stack, managers, otherStacks, deleteShared }: DeletionCandidate,
  foreign: readonly string[] = [],
): { readonly kept: boolean; readonly reason?: string } {
  if (!provesOwnership(live, managers)) return { kept: true, reason: unprovedReason };
  const { removedManagers = [], sharers = [], foreignManagers = [], declarers = [], waitingStacks = [] } = otherStacks ?? {};
  const stackManagers = [...managers, ...removedManagers];
  const kept = retentionReason(
    keepersOf(live, { managers, removedManagers, sharers, deleteShared: deletesShared(entry, { deleteShared }) }),
    foreign,
  );
  if (kept !== undefined) return { kept: true, reason: kept };
  const shared = sharedDeletionText(managers[0], [...stacksOn(live, stackManagers), ...sharers, ...foreignManagers]);
  const reason =
    removedBeforeTransferText(stack, [{ object: entry, declarers, waitingStacks }]) ??
    withSemicolons([shared, appliedFieldsText(live, stackManagers)]) ??
    updatedFieldsText(live, stackManagers);
  return { kept: false, ...(reason === undefined ? {} : { reason }) };
}

function withSemicolons(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined);
  return present.length === 0 ? undefined : present.join('; ');
}

/** Returns the text for a deletion that also deletes what others than stacks apply. */
function appliedFieldsText(live: JsonObject, stackManagers: readonly string[]): string | undefined {
  const others = coOwners(live, stackManagers).filter((manager) => !manager.startsWith('fieldwise/'));
  return others.length === 0 ? undefined : `with the fields that ${others.join(', ')} ${others.length === 1 ? 'applies' : 'apply'}`;
}

/** Returns the text for a deletion that also deletes fields that others have written by Update: they do not keep the object. */
function updatedFieldsText(live: JsonObject, stackManagers: readonly string[]): string | undefined {
  const written = managedFieldsOf(live)
    .filter((entry) => entry.operation === 'Update' && entry.subresource === '' && !stackManagers.includes(entry.manager))
    .filter(ownsBeyondMetadata)
    .map((entry) => {
      const fields = membersOf(entry.fields).flatMap(({ path, leaf }) => (leaf ? [formatPath(path)] : []));
      const more = fields.length > namedFields ? ` and ${fields.length - namedFields} more` : '';
      return `${fields.slice(0, namedFields).join(', ')}${more}, written by ${entry.manager}`;
    });
  return written.length === 0 ? undefined : `with ${written.join('; ')}`;
}

/** The fields of a manager that a question names. */
const namedFields = 3;

/** Returns other stacks that apply something to an object, even if only metadata. */
function stacksOn(live: JsonObject, stackManagers: readonly string[]): readonly string[] {
  return managedFieldsOf(live).flatMap(({ manager, operation }) =>
    operation === 'Apply' && manager.startsWith('fieldwise/') && !stackManagers.includes(manager) ? [manager] : [],
  );
}

/** Returns the text for a deletion that also deletes the object of other stacks. */
function sharedDeletionText(previousOwner: string, managers: readonly string[]): string | undefined {
  const others = [...new Set(managers)];
  if (others.length === 0) return undefined;
  const [declare, their] = others.length > 1 ? ['declare', 'one of their programs'] : ['declares', 'its program'];
  return `${others.join(', ')} ${declare} it, too, and this deletion deletes it for all; to keep it, declare all of it with \`own\` in ${their} and run \`fieldwise adopt STACK --from manager:${previousOwner}\` there first`;
}
