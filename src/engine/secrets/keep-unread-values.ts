import { managersOf, objectText } from '../../assembly/identity.js';
import type { Assembly, IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import { type ClusterClient, isForbidden, type Resource } from '../../kubernetes/index.js';
import { appliedIntentOf, ownersAt } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { fieldOfValue, type ReadReferences, type ReferenceSources, readReferences, type UnreadValue } from './references.js';

/** The fields of an intent whose values cannot be read. */
export interface UnreadFields {
  /** Such as `.data.password`. */
  readonly fields: readonly string[];
  /** The intent is the one that was applied last if its digest is: each of the values is the one that the stack has applied. */
  readonly isComparable: boolean;
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

/** Stands for the value of a key that does not exist yet: `{}`, which every type of Secret accepts. It is for the simulation only. */
const placeholder = Buffer.from('{}').toString('base64');

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
 * Declares each value that cannot be read as it is in the cluster, so that a plan shows no change of it. A value that only others own is not
 * declared: nothing shows whether a deploy would take it. The result must not be sent to a server, not even as a dry run, because a key that
 * does not exist has a placeholder.
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
    const isComparable = kept.every(([name, value]) => value !== undefined && isOwnValue(name, live, managersOf(stack)));
    fields.set(key, { fields: values.map(({ key: name }) => fieldOfValue('data', name)), isComparable });
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

/** Returns the value to declare for a key; undefined if none is to be declared. */
function liveValue(name: string, live: JsonObject | undefined | null, { managers, stack, intent }: Keeper): Json | undefined {
  if (live === null) return undefined;
  const value = isJsonObject(live?.data) && Object.hasOwn(live.data, name) ? live.data[name] : undefined;
  if (live === undefined || value === undefined) return placeholder;
  // Under `dynamic`, a declared value that equals the live one changes nothing, and one that is left out would be removed.
  const isDynamic =
    intent.policy.strategy === 'dynamic' || managersOf(stack).some((manager) => appliedIntentOf(live, manager) !== undefined);
  return isDynamic || isOwnValue(name, live, managers) ? value : undefined;
}

/** Returns true if one of the managers owns a key. One that was applied in `stringData` has no owner in `data`. */
function isOwnValue(name: string, live: JsonObject | undefined | null, managers: readonly string[]): boolean {
  if (!live || !isJsonObject(live.data) || !Object.hasOwn(live.data, name)) return false;
  const owns = (field: string) => ownersAt(live, field).some(({ manager }) => managers.includes(manager));
  return (
    owns(fieldOfValue('data', name)) || (ownersAt(live, fieldOfValue('data', name)).length === 0 && owns(fieldOfValue('stringData', name)))
  );
}

function withValues(
  { data, ...object }: PartialObject,
  values: readonly (readonly [name: string, value: Json | undefined])[],
): PartialObject {
  const members = { ...(data as JsonObject), ...Object.fromEntries(values) };
  const declared = Object.entries(members).filter(([, value]) => value !== undefined);
  return { ...object, ...(declared.length === 0 ? {} : { data: Object.fromEntries(declared) }) } as PartialObject;
}

function warningOf(value: UnreadValue): RunDiagnostic {
  return {
    event: 'warning',
    code: 'value-not-compared',
    message: `Not compared: ${fieldOfValue('data', value.key)} of ${objectText(value.intent)}, because ${value.why}`,
    next: 'Everything else is compared. A deploy needs the value.',
  };
}
