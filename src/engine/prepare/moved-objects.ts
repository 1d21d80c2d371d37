import { identityKey, managersOf, type ObjectIdentity } from '../../assembly/identity.js';
import type { ConflictPolicy, ConflictPolicyByManager } from '../../assembly/policy-vocabulary.js';
import type { Assembly, FieldPolicy, IntentManifest, StackManifest } from '../../assembly/types.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { fieldOf } from '../history/omitted-values.js';
import type { RevisionBody } from '../history/revision-body.js';
import { findInventory } from '../inventory/former-inventories.js';
import { InventoryStore } from '../inventory/inventory-store.js';
import { stackIdentityOf } from './prepare-run.js';

/** The stack of a program that goes back, and where it is recorded. */
export interface MovingStack {
  readonly program: Assembly;
  readonly cluster: ClusterClient;
  readonly stack: StackManifest;
  readonly inventoryNamespace: string | undefined;
}

/**
 * Returns the intents of a revision whose objects have moved to another stack of the program, by position, with the name of that stack: it
 * owns them, the stack itself declares them no longer, and its inventory does not have them any more.
 */
export async function movedObjects(
  { program, cluster, stack, inventoryNamespace }: MovingStack,
  revision: StackManifest,
): Promise<ReadonlyMap<number, string>> {
  const keyOf = keysIn(cluster);
  const declared = new Set(stack.intents.map(keyOf));
  const owners = new Map(
    program.manifest.stacks
      .filter((other) => other !== stack)
      .flatMap(({ name, intents }) =>
        intents.filter(({ lifecycle }) => lifecycle === 'own').map((intent) => [keyOf(intent), name] as const),
      ),
  );
  const candidates = revision.intents.flatMap((intent, index) => {
    const owner = intent.lifecycle === 'own' && !declared.has(keyOf(intent)) ? owners.get(keyOf(intent)) : undefined;
    return owner === undefined ? [] : [{ index, key: keyOf(intent), owner }];
  });
  if (candidates.length === 0) return new Map();
  const { whole } = await findInventory(new InventoryStore(cluster, inventoryNamespace), stackIdentityOf(program, stack), stack);
  const recorded = new Set([...whole.entries.values()].map(keyOf));
  return new Map(candidates.filter(({ key }) => !recorded.has(key)).map(({ index, owner }) => [index, owner]));
}

/** A stack that goes back, and its revision. */
export interface GoingBack {
  readonly stack: StackManifest;
  readonly body: RevisionBody;
}

/** Returns the field managers of stacks that give up a value of a Secret when they go back: their revisions do not declare it. */
export function givenUpAmong(cluster: ClusterClient, stacks: readonly GoingBack[]) {
  const keyOf = keysIn(cluster);
  const declares = ({ stack: { intents }, omitted }: RevisionBody, object: ObjectIdentity, field: string) =>
    intents.some((intent, index) => keyOf(intent) === keyOf(object) && omitted.get(index)?.some((value) => fieldOf(value) === field));
  return (object: ObjectIdentity, field: string): readonly string[] =>
    stacks.flatMap(({ stack, body }) => (declares(body, object, field) ? [] : managersOf(stack)));
}

/** Returns a stack that leaves fields to the other stacks of the program that declare the same objects now, where it would force them. */
export function yieldingToStacks({ program, cluster, stack }: MovingStack, revision: StackManifest): StackManifest {
  const keyOf = keysIn(cluster);
  const managers = new Map<string, readonly string[]>();
  for (const { manager, intents } of program.manifest.stacks) {
    if (manager === stack.manager) continue;
    for (const key of new Set(intents.map(keyOf))) managers.set(key, [...(managers.get(key) ?? []), manager]);
  }
  return { ...revision, intents: revision.intents.map((intent) => yieldingTo(managers.get(keyOf(intent)) ?? [], intent)) };
}

function yieldingTo(managers: readonly string[], intent: IntentManifest): IntentManifest {
  if (managers.length === 0) return intent;
  const left = (conflicts: ConflictPolicy | ConflictPolicyByManager) => leftTo(managers, conflicts);
  const fields = Object.entries(intent.policy.fields).map(([path, { conflicts, ...policy }]): readonly [string, FieldPolicy] => [
    path,
    { ...policy, ...(conflicts === undefined ? {} : { conflicts: left(conflicts) }) },
  ]);
  return { ...intent, policy: { ...intent.policy, conflicts: left(intent.policy.conflicts), fields: Object.fromEntries(fields) } };
}

/** An exact name that the policy itself forces stays forced. */
function leftTo(managers: readonly string[], conflicts: ConflictPolicy | ConflictPolicyByManager) {
  if (conflicts === 'force') return { yield: managers, otherwise: conflicts };
  return typeof conflicts === 'string' ? conflicts : { ...conflicts, yield: [...(conflicts.yield ?? []), ...managers] };
}

/** Returns keys of objects, whether or not their namespace is the default one and named. */
export function keysIn({ defaultNamespace }: ClusterClient): (object: ObjectIdentity) => string {
  return ({ apiVersion, kind, name, namespace = defaultNamespace }) => identityKey({ apiVersion, kind, name, namespace });
}
