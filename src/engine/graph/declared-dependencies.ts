import { identityKey } from '../../assembly/identity.js';
import type { IntentManifest, StackManifest } from '../../assembly/types.js';

const nothing: readonly string[] = [];

/** More are not recorded one by one: an inventory contains them for every object. */
const maxDependencies = 100;

/**
 * Returns the keys of the objects of its stack on which an intent declares to depend, directly or as members of a group; sorted. Undefined:
 * too many to record.
 */
export function declaredDependencies(stack: StackManifest, { dependsOn }: IntentManifest): readonly string[] | undefined {
  if (dependsOn.length === 0) return nothing;
  const members = (node: number): readonly number[] =>
    node < stack.intents.length ? [node] : (stack.groups?.[node - stack.intents.length] ?? []).flatMap(members);
  const indexes = new Set(dependsOn.flatMap(members));
  return indexes.size > maxDependencies
    ? undefined
    : [...indexes].map((index) => identityKey(stack.intents[index] as IntentManifest)).sort();
}
