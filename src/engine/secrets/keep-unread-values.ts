import { managersOf, objectText } from '../../assembly/identity.js';
import type { Assembly, IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import { formatPath, membersOf } from '../../fields/index.js';
import { type ClusterClient, isForbidden, type Resource } from '../../kubernetes/index.js';
import { appliedIntentOf, managedFieldsOf } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { fieldOfValue, type ReadReferences, type ReferenceSources, readReferences, type UnreadValue } from './references.js';

/** The fields of an intent whose values cannot be read. */
export interface UnreadFields {
  /** Such as `.data.password`. */
  readonly fields: readonly string[];
  /** The keys of those that the stack does not own. If there is none, each of the values is the one that the stack has applied. */
  readonly notOwned: readonly string[];
}

/** By `intentKey`. */
export type UnreadFieldsByIntent = ReadonlyMap<string, UnreadFields>;

/** An assembly for a run that sends nothing. */
export interface KeptValues {
  readonly assembly: Assembly;
  readonly unread: UnreadFieldsByIntent;
  /** Names each field that is not compared. */
  readonly warnings: readonly RunDiagnostic[];
}

const secrets: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };

/**
 * Stand for the value of a key that does not exist yet, and for one other than the live value: `{}`, which every type of Secret accepts. They are for
 * the simulation only.
 */
const [placeholder, otherPlaceholder] = ['{}', '{ }'].map((text) => Buffer.from(text).toString('base64')) as [string, string];

/** Returns the text that identifies an intent of an assembly. */
export function intentKey({ stack, index }: { readonly stack: Pick<StackManifest, 'name'>; readonly index: number }): string {
  return `${stack.name} ${index}`;
}

/** Reads the references of some stacks as far as they can be read, and keeps the other values as `keepUnreadValues` does. */
export function readableValues(
  assembly: Assembly,
  stacks: readonly StackManifest[],
  cluster: ClusterClient,
  references: ReferenceSources | undefined,
): Promise<KeptValues> {
  return keepUnreadValues(readReferences(assembly, stacks, references), cluster);
}

/**
 * Declares each value that cannot be read as it is in the cluster, so that a plan shows no change of it. One that no stack owns is declared with another
 * value: a deploy takes or changes it, unless it is equal by chance. The result must not be sent to a server, not even as a dry run, because of the placeholders.
 */
export async function keepUnreadValues({ assembly, unread }: ReadReferences, cluster: ClusterClient): Promise<KeptValues> {
  const groups = new Map<string, UnreadValue[]>();
  for (const value of unread) groups.set(intentKey(value), [...(groups.get(intentKey(value)) ?? []), value]);
  if (groups.size === 0) return { assembly, unread: new Map(), warnings: [] };
  const managers = assembly.manifest.stacks.flatMap(managersOf);
  const objects = assembly.objects.map((list) => [...list]);
  const fields = new Map<string, UnreadFields>();
  for (const [key, values] of groups) {
    const [{ stack, index, intent }] = values as [UnreadValue, ...UnreadValue[]];
    const list = objects[assembly.manifest.stacks.indexOf(stack)] as PartialObject[];
    const live = await readSecret(intent, cluster);
    const kept = values.map(({ key: name }) => [name, liveValue(name, live, { managers, stack, intent })] as const);
    list[index] = withValues(list[index] as PartialObject, kept);
    const names = values.map(({ key: name }) => name);
    fields.set(key, {
      fields: names.map((name) => fieldOfValue('data', name)),
      notOwned: names.filter((name) => !isOwnValue(name, live, managersOf(stack))),
    });
  }
  return { assembly: { ...assembly, objects }, unread: fields, warnings: unread.map(warningOf) };
}

/** Returns undefined if the Secret does not exist, and null if these credentials may not read it. */
async function readSecret({ namespace, name }: IntentManifest, cluster: ClusterClient): Promise<JsonObject | undefined | null> {
  try {
    return await cluster.tryGet({ resource: secrets, namespace: namespace ?? cluster.defaultNamespace, name });
  } catch (error) {
    if (isForbidden(error)) return null; // The plan of the object reports it.
    throw error;
  }
}

interface Keeper {
  /** The managers of all stacks of the program: a value may move from one to another. */
  readonly managers: readonly string[];
  readonly stack: StackManifest;
  readonly intent: IntentManifest;
}

/** Returns the value to declare for a key; undefined if the Secret may not be read. */
function liveValue(name: string, live: JsonObject | undefined | null, { managers, stack, intent }: Keeper): Json | undefined {
  if (live === null) return undefined;
  const value = isJsonObject(live?.data) && Object.hasOwn(live.data, name) ? live.data[name] : undefined;
  if (live === undefined || value === undefined) return placeholder;
  // Under `dynamic`, a declared value that equals the live one changes nothing, and one that is left out would be removed.
  const isDynamic =
    intent.policy.strategy === 'dynamic' || managersOf(stack).some((manager) => appliedIntentOf(live, manager) !== undefined);
  if (isDynamic || isOwnValue(name, live, managers)) return value;
  return value === placeholder ? otherPlaceholder : placeholder;
}

/** Returns true if one of the managers owns a key. One that was applied in `stringData` has no owner in `data`. */
function isOwnValue(name: string, live: JsonObject | undefined | null, managers: readonly string[]): boolean {
  if (!live || !isJsonObject(live.data) || !Object.hasOwn(live.data, name)) return false;
  const owners = ownersOfKey('data', name, live);
  return (owners.length > 0 ? owners : ownersOfKey('stringData', name, live)).some((manager) => managers.includes(manager));
}

/** Returns the managers of a key. A manager of the whole map owns none: it has applied the empty map, beside keys that it leaves to others. */
function ownersOfKey(member: 'data' | 'stringData', name: string, live: JsonObject): readonly string[] {
  const field = fieldOfValue(member, name);
  const owning = managedFieldsOf(live).filter(({ fields }) => membersOf(fields).some(({ path }) => formatPath(path) === field));
  return owning.map(({ manager }) => manager);
}

function withValues(object: PartialObject, values: readonly (readonly [name: string, value: Json | undefined])[]): PartialObject {
  const { data, ...others } = object;
  const members = { ...(data as JsonObject), ...Object.fromEntries(values) };
  const declared = Object.entries(members).filter(([, value]) => value !== undefined);
  return declared.length === 0 ? (others as PartialObject) : { ...object, data: Object.fromEntries(declared) };
}

function warningOf(value: UnreadValue): RunDiagnostic {
  return {
    event: 'warning',
    code: 'value-not-compared',
    message: `Not compared: ${fieldOfValue('data', value.key)} of ${objectText(value.intent)}, because ${value.why}`,
    next: 'Its owners and everything else are compared. A deploy needs the value.',
  };
}
