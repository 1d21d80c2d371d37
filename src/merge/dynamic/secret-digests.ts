import { createHmac } from 'node:crypto';
import { type FieldPath, formatPath } from '../../fields/index.js';
import { isSecret, metadataOf } from '../../fields/object.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, isSameNumber, type Json, type JsonObject } from '../../util/json.js';
import { isAbsent } from './presence.js';

/** A key that digests are made and compared with. Without it, a value can neither be guessed from its digest nor compared with it. */
export interface DigestKey {
  /** Part of the digests; reveals nothing about the secret. */
  readonly id: string;
  readonly secret: Uint8Array;
}

export function digestKey(secret: Uint8Array): DigestKey {
  return { id: createHmac('sha256', secret).update('key id').digest('hex').slice(0, 16), secret };
}

/** The digest form of an older version, without a key: still read, no longer written. */
const saltedForm = /^fieldwise\.dev\/sha256:([0-9a-f]{16}):([0-9a-f]{64})$/;
const keyedPrefix = 'fieldwise.dev/hmac:';
/** Replaces a value that must not be stored; equals no value. */
const unknown = 'fieldwise.dev/unknown';
const secretMembers = ['data', 'stringData'];

/** Returns true if an intent has values that are only stored as digests. */
export function hasSecretValues(intent: JsonObject): boolean {
  const hidden = secretMembers.map((name) => intent[name]);
  return isSecret(intent) && hidden.some((value) => !isAbsent(value) && !(isJsonObject(value) && Object.keys(value).length === 0));
}

/**
 * Returns an intent in the form in which it may be stored where others read it: values of a Secret's `data` and `stringData` are keyed
 * digests, different for each object and field so that equal values do not show. The same intent and key give the same digests.
 *
 * @param key without one, such values are not stored at all.
 */
export function digestSecretValues(intent: JsonObject, key?: DigestKey): JsonObject {
  return mapHidden(intent, (value, context) => (key === undefined ? unknown : digestOf(value, context, key)));
}

/**
 * Returns a stored intent with live values in place of the digests that match them, so that later steps need no key. A digest of another
 * value, or by another key, stays and equals no value.
 */
export function resolveDigests(stored: JsonObject, live: JsonObject, key: DigestKey | undefined): JsonObject {
  if (key === undefined) return stored;
  return mapHidden(stored, (digest, context, path) => {
    const value = path.reduce<Json | undefined>((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), live);
    return !isAbsent(value) && digest === digestOf(value as Json, context, key) ? (value as Json) : digest;
  });
}

/** Returns true if a stored value cannot be compared without the key. */
export function isUnverifiable(stored: Json | undefined): boolean {
  return typeof stored === 'string' && (stored === unknown || stored.startsWith(keyedPrefix));
}

function mapHidden(intent: JsonObject, change: (value: Json, context: string, path: readonly string[]) => Json): JsonObject {
  if (!isSecret(intent)) return intent;
  const metadata = metadataOf(intent);
  const object = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  const visit = (value: Json | undefined, path: readonly string[]): Json | undefined => {
    if (value === undefined || value === null) return value;
    if (isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visit(member, [...path, name])]));
    return change(value, `${object} ${formatPath(path.map((name): FieldPath[number] => ({ kind: 'field', name })))}`, path);
  };
  const hidden = secretMembers.flatMap((name) => (intent[name] === undefined ? [] : [[name, visit(intent[name], [name])] as const]));
  return { ...intent, ...Object.fromEntries(hidden) };
}

function digestOf(value: Json, context: string, { id, secret }: DigestKey): string {
  const digest = createHmac('sha256', secret)
    .update(stringifyExactJson([context, value]))
    .digest('hex');
  return `${keyedPrefix}${id}:${digest}`;
}

function saltedDigestOf(value: Json, salt: string): string {
  return createHmac('sha256', salt).update(stringifyExactJson(value)).digest('hex');
}

/**
 * Returns true if a value equals a stored one, as far as this is known without a key: see `resolveDigests`. Null and absent members are
 * equal: servers drop nulls.
 */
export function equalsStored(value: Json | undefined, stored: Json | undefined): boolean {
  if (isAbsent(value) || isAbsent(stored)) return isAbsent(value) && isAbsent(stored);
  if (value === stored || isSameNumber(value, stored)) return true;
  if (typeof stored === 'string') {
    const [, salt, digest] = saltedForm.exec(stored) ?? [];
    return salt !== undefined && !isJsonObject(value) && saltedDigestOf(value as Json, salt) === digest;
  }
  if (Array.isArray(value) && Array.isArray(stored)) {
    const [items, others] = [value as readonly Json[], stored as readonly Json[]];
    return items.length === others.length && items.every((item, index) => equalsStored(item, others[index]));
  }
  if (!isJsonObject(value) || !isJsonObject(stored)) return false;
  return [...new Set([...Object.keys(value), ...Object.keys(stored)])].every((name) =>
    equalsStored(Object.hasOwn(value, name) ? value[name] : undefined, Object.hasOwn(stored, name) ? stored[name] : undefined),
  );
}
