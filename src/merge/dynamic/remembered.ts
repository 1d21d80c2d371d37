import { createHash, createHmac } from 'node:crypto';
import { type FieldPath, formatPath } from '../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { isAbsent } from './presence.js';

const digestForm = /^fieldwise\.dev\/sha256:([0-9a-f]{16}):([0-9a-f]{64})$/;
const secretMembers = ['data', 'stringData'];

/**
 * An intent as it may be kept where others read it: the values of a Secret's `data` and `stringData` are digests, salted by object and
 * field so that equal values do not show. The same intent gives the same digests. Who can read the annotation of a Secret can read the
 * Secret; the digests keep values out of what prints annotations only.
 */
export function rememberedIntent(intent: JsonObject): JsonObject {
  if (intent.kind !== 'Secret' || intent.apiVersion !== 'v1') return intent;
  const metadata = isJsonObject(intent.metadata) ? intent.metadata : {};
  const object = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  const hidden = secretMembers.flatMap((name) =>
    intent[name] === undefined ? [] : [[name, digested(intent[name], object, [{ kind: 'field', name }])] as const],
  );
  return { ...intent, ...Object.fromEntries(hidden) };
}

function digested(value: Json | undefined, object: string, path: FieldPath): Json | undefined {
  if (value === undefined || value === null) return value;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([name, member]) => [name, digested(member, object, [...path, { kind: 'field', name }])]);
    return Object.fromEntries(members);
  }
  const salt = createHash('sha256')
    .update(`${object} ${formatPath(path)}`)
    .digest('hex')
    .slice(0, 16);
  return `fieldwise.dev/sha256:${salt}:${digestOf(value, salt)}`;
}

function digestOf(value: Json, salt: string): string {
  return createHmac('sha256', salt).update(JSON.stringify(value)).digest('hex');
}

/** Whether a value is the one that was remembered. Null and absent members are the same: servers drop nulls. */
export function equalsRemembered(value: Json | undefined, remembered: Json | undefined): boolean {
  if (isAbsent(value) || isAbsent(remembered)) return isAbsent(value) && isAbsent(remembered);
  if (value === remembered) return true;
  if (typeof remembered === 'string') {
    const [, salt, digest] = digestForm.exec(remembered) ?? [];
    return salt !== undefined && !isJsonObject(value) && digestOf(value, salt) === digest;
  }
  if (Array.isArray(value) && Array.isArray(remembered)) {
    const [items, others] = [value as readonly Json[], remembered as readonly Json[]];
    return items.length === others.length && items.every((item, index) => equalsRemembered(item, others[index]));
  }
  if (!isJsonObject(value) || !isJsonObject(remembered)) return false;
  return [...new Set([...Object.keys(value), ...Object.keys(remembered)])].every((name) =>
    equalsRemembered(Object.hasOwn(value, name) ? value[name] : undefined, Object.hasOwn(remembered, name) ? remembered[name] : undefined),
  );
}
