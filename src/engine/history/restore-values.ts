import { managersOf, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { FieldPolicy, IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import type { ClusterClient, Resource } from '../../kubernetes/index.js';
import type { DigestKey } from '../../merge/dynamic/index.js';
import { ownersAt } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { digestOfValue, fieldOf, type OmittedValue, omittedValueIn, withValue } from './omitted-values.js';
import type { RevisionBody } from './revision-body.js';
import { type StackObjects, withoutIntents } from './without-intents.js';

/** An object whose values a rollback leaves as they are. */
export interface KeptObject {
  /** `Secret namespace/name`. */
  readonly object: string;
  /** False if it does not exist: then it is left out, because it cannot be created without its values. */
  readonly exists: boolean;
  /** The fields that keep their values. */
  readonly kept: readonly string[];
  /** Those of them whose values have changed since the revision. */
  readonly changed: readonly string[];
  /** Those of them for which nothing shows whether their values have changed. */
  readonly unknown: readonly string[];
  /** Fields that the stack no longer owns: they are not declared, and stay as they are. */
  readonly lost: readonly string[];
  /** Those of them that have the value of the revision. */
  readonly equal: readonly string[];
  /** Fields that do not exist: they are not declared. */
  readonly gone: readonly string[];
  /** Position of its intent in the revision. */
  readonly index: number;
  /** The object; absent if it does not exist. */
  readonly live?: JsonObject;
}

type FoundFields = Record<'kept' | 'changed' | 'unknown' | 'lost' | 'equal' | 'gone', string[]>;

/** A stack of a revision, ready to be deployed. */
export interface RestoredStack extends StackObjects {
  /**
   * The revision as it is recorded again: with what is left out now, so that a later rollback does not remove it as undeclared, and with
   * digests of the values that are kept.
   */
  readonly recorded: RevisionBody;
  readonly kept: readonly KeptObject[];
  /** The stack with the objects that are left out. */
  readonly whole: StackObjects;
}

const secrets: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };

/** The part of a revision that a rollback declares. */
interface Restoring {
  readonly stack: StackManifest;
  /** The positions of intents that are left out as a whole. */
  readonly left: ReadonlySet<number>;
  /** Returns the field managers that give up a value in the same run: nobody would own it, if the stack did not declare it. */
  readonly givenUpBy: (object: ObjectIdentity, field: string) => readonly string[];
  /** Reads the key of the digests. */
  readonly keyOf: () => Promise<DigestKey | undefined>;
}

/**
 * Puts live values in place of those that a revision leaves out, where the stack owns them or gets them back in the run, so that it declares
 * them. Their conflicts are left to their owners: a value that somebody changes before the apply stays changed.
 */
export async function restoreValues(cluster: ClusterClient, body: RevisionBody, restoring: Restoring): Promise<RestoredStack> {
  const { stack, left, givenUpBy, keyOf } = restoring;
  const objects = [...body.objects];
  const policies = new Map<number, readonly string[]>();
  const absent = new Set<number>(left);
  const kept: KeptObject[] = [];
  const recorded = new Map<number, readonly OmittedValue[]>();
  for (const [index, omitted] of body.omitted) {
    recorded.set(index, omitted);
    if (left.has(index)) continue;
    const intent = stack.intents[index] as IntentManifest;
    const live = await cluster.tryGet({ resource: secrets, namespace: intent.namespace ?? cluster.defaultNamespace, name: intent.name });
    if (live === undefined) absent.add(index);
    const managersAt = (field: string) => [...managersOf(stack), ...givenUpBy(intent, field)];
    const restored = restoreObject(objects[index] as PartialObject, live, omitted, { managersAt, key: await keyOf() });
    objects[index] = restored.object;
    policies.set(index, restored.kept);
    const { object: _, recorded: values, ...fields } = restored;
    recorded.set(index, values);
    kept.push({ object: objectText(intent), exists: live !== undefined, index, ...(live ? { live } : {}), ...fields });
  }
  const guarded = { ...stack, intents: stack.intents.map((intent, index) => yielding(intent, policies.get(index) ?? [])) };
  const deployed = withoutIntents({ stack: guarded, objects }, absent);
  return { ...deployed, recorded: { ...body, omitted: recorded }, kept, whole: { stack: guarded, objects } };
}

interface Restoration {
  readonly managersAt: (field: string) => readonly string[];
  readonly key: DigestKey | undefined;
}

type Restored = FoundFields & {
  readonly object: PartialObject;
  readonly recorded: readonly OmittedValue[];
};

function restoreObject(
  intent: PartialObject,
  live: JsonObject | undefined,
  omitted: readonly OmittedValue[],
  { managersAt, key }: Restoration,
): Restored {
  const found: FoundFields = { kept: [], changed: [], unknown: [], lost: [], equal: [], gone: [] };
  let object = intent;
  const recorded: OmittedValue[] = [];
  for (const value of omitted) {
    const field = fieldOf(value);
    const current = live === undefined ? undefined : omittedValueIn(live, value);
    const digest = key && current !== undefined ? digestOfValue(intent, value.path, current, key) : undefined;
    const isKept = live !== undefined && current !== undefined && isOwned(live, value, managersAt(field));
    recorded.push(isKept && digest !== undefined ? { path: value.path, digest } : value);
    if (isKept) {
      object = withValue(object, value, current);
      found.kept.push(field);
      const isComparable = digest !== undefined && value.digest?.split(':')[0] === key?.id;
      if (!isComparable) found.unknown.push(field);
      else if (digest !== value.digest) found.changed.push(field);
    } else if (current === undefined) found.gone.push(field);
    else {
      found.lost.push(field);
      if (digest !== undefined && digest === value.digest) found.equal.push(field);
    }
  }
  return { object, recorded, ...found };
}

/** Returns true if one of the managers owns a value. One that it applied in `stringData` has no owner in `data`. */
function isOwned(live: JsonObject, value: OmittedValue, managers: readonly string[]): boolean {
  const isOwner = ({ manager }: { readonly manager: string }) => managers.includes(manager);
  const owners = ownersAt(live, fieldOf(value));
  if (owners.some(isOwner)) return true;
  const [first, ...below] = value.path;
  return first === 'data' && owners.length === 0 && ownersAt(live, fieldOf({ path: ['stringData', ...below] })).some(isOwner);
}

function yielding(intent: IntentManifest, fields: readonly string[]): IntentManifest {
  if (fields.length === 0) return intent;
  const added = fields.map((field): readonly [string, FieldPolicy] => [field, { ...intent.policy.fields[field], conflicts: 'yield' }]);
  return { ...intent, policy: { ...intent.policy, fields: { ...intent.policy.fields, ...Object.fromEntries(added) } } };
}
