import { createHmac } from 'node:crypto';
import type { PartialObject } from '../../assembly/types.js';
import { type FieldPath, formatPath } from '../../fields/index.js';
import { isSecret, metadataOf } from '../../fields/object.js';
import type { DigestKey } from '../../merge/dynamic/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject, setMember } from '../../util/json.js';

/** A value of a Secret that a revision leaves out. */
export interface OmittedValue {
  /** The steps from the object to the value, such as `data`, `password`. */
  readonly path: readonly string[];
  /** A keyed digest of the value; absent if the key of the stack was unavailable. */
  readonly digest?: string;
}

/** An intent of a revision without the values of a Secret. */
export interface RedactedIntent {
  readonly object: PartialObject;
  /** Empty for anything but a Secret. */
  readonly omitted: readonly OmittedValue[];
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Leaves the values of a Secret out of its intent. Those of `stringData` become values of `data`, as the server stores them.
 *
 * @param key without one, nothing shows later whether a value has changed.
 */
export function redactIntent(intent: PartialObject, key: DigestKey | undefined): RedactedIntent {
  if (!isSecret(intent)) return { object: intent, omitted: [] };
  const { data, stringData, ...others } = intent;
  const values: Record<string, Json> = isJsonObject(data) ? { ...(data as Record<string, Json>) } : {};
  for (const [name, value] of Object.entries(isJsonObject(stringData) ? stringData : {})) {
    setMember(values, name, typeof value === 'string' ? Buffer.from(value, 'utf8').toString('base64') : (value as Json));
  }
  const omitted: OmittedValue[] = Object.entries(values).map(([name, value]) => omittedValue(intent, ['data', name], value, key));
  const { annotations, ...metadata } = others.metadata;
  if (!isJsonObject(annotations) || annotations[lastApplied] === undefined) return { object: others as PartialObject, omitted };
  const { [lastApplied]: record, ...rest } = annotations;
  omitted.push(omittedValue(intent, ['metadata', 'annotations', lastApplied], record, key));
  const kept = Object.keys(rest).length > 0 ? { ...metadata, annotations: rest } : metadata;
  return { object: { ...others, metadata: kept } as PartialObject, omitted };
}

function omittedValue(intent: JsonObject, path: readonly string[], value: Json | undefined, key: DigestKey | undefined): OmittedValue {
  return key === undefined || value === undefined ? { path } : { path, digest: digestOfValue(intent, path, value, key) };
}

/** Returns a digest that shows later whether a value has changed, and nothing else: it is different for each object, field and stack. */
export function digestOfValue(object: JsonObject, path: readonly string[], value: Json, { id, secret }: DigestKey): string {
  const { namespace = '', name = '' } = metadataOf(object);
  const text = stringifyExactJson(['revision', String(namespace), String(name), [...path], value]);
  return `${id}:${createHmac('sha256', secret).update(text).digest('hex')}`;
}

/** Returns the path of an omitted value as fields are named, such as `.data.password`. */
export function fieldOf({ path }: Pick<OmittedValue, 'path'>): string {
  return formatPath(path.map((name): FieldPath[number] => ({ kind: 'field', name })));
}

/** Returns the value at the path of an omitted value. */
export function omittedValueIn(object: JsonObject, { path }: Pick<OmittedValue, 'path'>): Json | undefined {
  return path.reduce<Json | undefined>((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), object);
}

/** Returns an intent with a value at the path of an omitted one. */
export function withValue(object: PartialObject, { path }: Pick<OmittedValue, 'path'>, value: Json): PartialObject {
  const put = (at: Json | undefined, [name, ...below]: readonly string[]): Json => {
    if (name === undefined) return value;
    const members = isJsonObject(at) ? at : {};
    return { ...members, [name]: put(members[name], below) };
  };
  return put(object, path) as PartialObject;
}

/**
 * Returns the fields of values that are known to differ between two versions of an intent: only one has them, or their digests differ.
 * Digests of another key, and values without one, are not compared.
 */
export function changedOmittedValues(before: readonly OmittedValue[], after: readonly OmittedValue[]): readonly string[] {
  const found = new Map(before.map((value) => [fieldOf(value), value]));
  const changed: string[] = [];
  for (const value of after) {
    const field = fieldOf(value);
    const former = found.get(field);
    found.delete(field);
    const isComparable = former?.digest !== undefined && keyIdOf(former) === keyIdOf(value);
    if (former === undefined || (isComparable && former.digest !== value.digest)) changed.push(field);
  }
  return [...changed, ...found.keys()];
}

function keyIdOf({ digest }: OmittedValue): string | undefined {
  return digest?.split(':')[0];
}
