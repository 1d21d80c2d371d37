import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { nameOf } from '../../fields/object.js';
import { applyEntryOf, ownerText, recordedFieldsOf } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { InventoryEntry } from './inventory-entry.js';
import type { Inventory } from './inventory-store.js';
import { isEditedShard } from './shard-data.js';

/** Returns a warning for each inventory whose entries others than a run have written last. */
export function editedWarnings(inventories: readonly Inventory[]): readonly RunDiagnostic[] {
  return inventories.flatMap(({ stack, shards }) => {
    const edited = shards.filter(({ object }) => isEditedShard(object));
    if (edited.length === 0) return [];
    const texts = edited.map(({ object }) => `ConfigMap ${nameOf(object)}${writerText(object)}`);
    return [
      {
        event: 'warning',
        code: 'inventory-edited',
        message: `The entries of the inventory of stack ${stack.stack} are not as a run wrote them: ${texts.join(', ')}. The stack may have forgotten objects that it applied, or whether it created them`,
        next: `Restore them from a backup before a deploy. ${withoutBackup(stack.stack)} \`fieldwise doctor --find-orphans\` finds objects that the program does not declare.`,
      },
    ];
  });
}

/** Returns a warning for each stack with objects that have fields of it and that its inventory does not list. */
export function incompleteWarnings(objects: readonly (ObjectIdentity & { readonly stack: string })[]): readonly RunDiagnostic[] {
  return [...new Set(objects.map(({ stack }) => stack))].map((stack) => {
    const [first, ...others] = objects.filter((object) => object.stack === stack).map(objectText);
    const [named, they] = others.length === 0 ? [first, 'it'] : [`${first} and ${pluralize(others.length, 'other object')}`, 'them'];
    return {
      event: 'warning',
      code: 'inventory-incomplete',
      message: `The inventory of stack ${stack} does not list ${named}, although the stack has applied ${they}: whether it created ${they} is not known`,
      next: `If an earlier run kept ${they} by the policy \`retain\`, nothing is lost. If the inventory was lost or edited, restore it from a backup. ${withoutBackup(stack)}`,
    };
  });
}

function withoutBackup(stack: string): string {
  return `Without one, a deploy lists what the program declares, as objects that existed before: they are only released; \`fieldwise adopt ${stack} --with-deletion\` then lets the stack delete them.`;
}

/** Marks an object that has fields of a stack although the inventory of the stack does not list it. */
export function unlistedMark(
  known: InventoryEntry | undefined,
  live: Json | undefined,
  managers: readonly string[],
): { readonly unlisted?: true } {
  const isUnlisted = known === undefined && managers.some((manager) => applyEntryOf(live, manager) !== undefined);
  return isUnlisted ? { unlisted: true } : {};
}

/** Returns who wrote the entries of a ConfigMap last, as the server records it. */
function writerText(object: JsonObject): string {
  const writer = recordedFieldsOf(object).find(({ fieldsV1 }) =>
    ['f:data', 'f:binaryData'].some((key) => {
      const members = isJsonObject(fieldsV1) ? fieldsV1[key] : undefined;
      return isJsonObject(members) && members['f:entries'] !== undefined;
    }),
  );
  return writer === undefined ? '' : `, last by ${ownerText(writer)}${writer.time === undefined ? '' : ` at ${writer.time}`}`;
}
