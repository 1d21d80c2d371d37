import { createHmac } from 'node:crypto';
import { type FieldPath, formatPath } from '../../fields/index.js';
import { metadataOf } from '../../kubernetes/object.js';
import { isJsonObject, isSameNumber, type Json, type JsonObject } from '../../util/json.js';
import { isAbsent } from './presence.js';

/** With it digests are made and read; who has none can neither guess a value from its digest nor tell whether it is still the same. */
export interface DigestKey {
  /** Stands in the digests, and tells nothing of the secret. */
  readonly id: string;
  readonly secret: Uint8Array;
}

export function digestKey(secret: Uint8Array): DigestKey {
  return { id: createHmac('sha256', secret).update('key id').digest('hex').slice(0, 16), secret };
}

/** Of an older version, without a key: still read, no longer written. */
const saltedForm = /^fieldwise\.dev\/sha256:([0-9a-f]{16}):([0-9a-f]{64})$/;
const keyedPrefix = 'fieldwise.dev/hmac:';
/** In place of a value of which nothing may be remembered; it is equal to none. */
const unknown = 'fieldwise.dev/unknown';
const secretMembers = ['data', 'stringData'];

function isSecret({ apiVersion, kind }: JsonObject): boolean {
  return kind === 'Secret' && apiVersion === 'v1';
}

/** Whether an intent has values that are not remembered as they are. */
export function hasSecretValues(intent: JsonObject): boolean {
  const hidden = secretMembers.map((name) => intent[name]);
  return isSecret(intent) && hidden.some((value) => !isAbsent(value) && !(isJsonObject(value) && Object.keys(value).length === 0));
}

/**
 * An intent as it may be kept where others read it: the values of a Secret's `data` and `stringData` are digests by a key, different for
 * each object and field so that equal values do not show. The same intent and key give the same digests.
 *
 * @param key without one, such values are not remembered at all.
 */
export function digestSecretValues(intent: JsonObject, key?: DigestKey): JsonObject {
  return mapHidden(intent, (value, context) => (key === undefined ? unknown : digestOf(value, context, key)));
}

/**
 * What is remembered, with the values in place of those digests that are of the live ones: from here on no key is needed. A digest of
 * another value, or by another key, stays and is equal to no value.
 */
export function resolveDigests(stored: JsonObject, live: JsonObject, key: DigestKey | undefined): JsonObject {
  if (key === undefined) return stored;
  return mapHidden(stored, (digest, context, path) => {
    const value = path.reduce<Json | undefined>((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), live);
    return !isAbsent(value) && digest === digestOf(value as Json, context, key) ? (value as Json) : digest;
  });
}

/** Whether a remembered value is one that nobody can compare without the key. */
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
    .update(JSON.stringify([context, value]))
    .digest('hex');
  return `${keyedPrefix}${id}:${digest}`;
}

function saltedDigestOf(value: Json, salt: string): string {
  return createHmac('sha256', salt).update(JSON.stringify(value)).digest('hex');
}

/**
 * Whether a value is the one that was remembered, as far as can be told without a key: see `readRemembered`. Null and absent members are
 * the same: servers drop nulls.
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
