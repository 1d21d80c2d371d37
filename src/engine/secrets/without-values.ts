import type { Assembly, IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import { formatPath } from '../../fields/index.js';
import { isSecret, metadataOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { appliedAnnotation, appliedIntentsOf, isAppliedAnnotation, writeAppliedIntent } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import { intentKey, type KeptValues, keepUnreadValues, type UnreadFields } from './keep-unread-values.js';
import type { UnreadValue } from './references.js';

/** Stands for each value of a Secret in a snapshot: `{}`, which every type of Secret accepts. */
const placeholder = '{}';
const encodedPlaceholder = Buffer.from(placeholder).toString('base64');

/**
 * Returns a Secret without its values and without those of its annotations, into which tools copy whole objects; other objects as they are.
 * The names of the keys stay. An intent that Fieldwise stores in an annotation is kept, without its values.
 */
export function withoutValues<T extends JsonObject>(object: T): T {
  if (!isSecret(object)) return object;
  const { data, stringData, metadata, ...rest } = object as JsonObject;
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: withoutAnnotationValues(metadata, object) }),
    ...(data === undefined ? {} : { data: replaced(data, encodedPlaceholder) }),
    ...(stringData === undefined ? {} : { stringData: replaced(stringData, placeholder) }),
  } as unknown as T;
}

function withoutAnnotationValues(metadata: Json, object: JsonObject): Json {
  if (!isJsonObject(metadata) || !isJsonObject(metadata.annotations)) return metadata;
  const names = Object.keys(metadata.annotations).filter((name) => !isAppliedAnnotation(name));
  const stored = appliedIntentsOf(object).map((applied) => {
    return [appliedAnnotation(applied.manager), writeAppliedIntent({ ...applied, intent: withoutValues(applied.intent) })] as const;
  });
  return { ...metadata, annotations: Object.fromEntries([...names.map((name) => [name, ''] as const), ...stored]) };
}

function replaced(members: Json, value: string): Json {
  return isJsonObject(members) ? Object.fromEntries(Object.keys(members).map((name) => [name, value])) : members;
}

/** Declares all values of the Secrets of some stacks as a snapshot has them, so that a plan shows no change of them. */
export async function keepValuesOfSnapshot(
  assembly: Assembly,
  stacks: readonly StackManifest[],
  cluster: ClusterClient,
): Promise<KeptValues> {
  const unread: UnreadValue[] = [];
  const annotated = new Map<string, readonly string[]>();
  const selected = new Set(stacks);
  const objects = assembly.objects.map((list, position) => {
    const stack = assembly.manifest.stacks[position] as StackManifest;
    if (!selected.has(stack)) return list;
    return list.map((object, index) => {
      if (!isSecret(object)) return object;
      const { stringData, ...others } = withoutValues(object) as PartialObject;
      const names = new Set([...namesIn(others.data), ...namesIn(stringData)]);
      const intent = stack.intents[index] as IntentManifest;
      for (const key of names) unread.push({ stack, index, intent, key, why: 'a snapshot does not contain it' });
      annotated.set(intentKey({ stack, index }), namesIn(metadataOf(object).annotations).map(annotationField));
      return others as PartialObject;
    });
  });
  const kept = await keepUnreadValues({ assembly: { ...assembly, objects }, unread }, cluster);
  const fields = new Map<string, UnreadFields>(kept.unread);
  for (const [key, annotations] of annotated) {
    const { fields: values = [], notOwned = [] } = kept.unread.get(key) ?? {};
    if (annotations.length + values.length > 0) fields.set(key, { fields: [...values, ...annotations], notOwned });
  }
  return { assembly: kept.assembly, unread: fields, warnings: fields.size === 0 ? [] : [warningOf(fields.size)] };
}

function warningOf(count: number): KeptValues['warnings'][number] {
  return {
    event: 'warning',
    code: 'value-not-compared',
    message: `Not compared: the values and annotations of ${pluralize(count, 'Secret')}, because a snapshot does not contain them`,
    next: 'Everything else is compared. `fieldwise diff --read-only` compares them too.',
  };
}

function namesIn(members: Json | undefined): readonly string[] {
  return isJsonObject(members) ? Object.keys(members) : [];
}

function annotationField(name: string): string {
  return formatPath(['metadata', 'annotations', name].map((field) => ({ kind: 'field' as const, name: field })));
}
