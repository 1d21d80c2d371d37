import { isJsonObject, type Json, type JsonObject } from '../util/json.js';

/** No object has this version, and an apply that creates is accepted with any: the server refuses it exactly where there is an object. */
export const resourceVersionOfNoObject = '9223372036854775807';

/** The metadata of an object, typed as an API server writes it. Source: Kubernetes API reference, ObjectMeta. */
export interface ObjectMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly JsonObject[];
  readonly [name: string]: Json | undefined;
}

/** An owner whose deletion deletes the object too. Source: Kubernetes API reference, OwnerReference. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
  readonly [name: string]: Json | undefined;
}

/** A condition of an object's status. Source: Kubernetes API conventions, "Typical status properties". */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** The generation that the condition describes; absent where its controller does not record it. */
  readonly observedGeneration?: number;
  /** Milliseconds since 1970; NaN where absent. */
  readonly lastTransitionMs: number;
  /** The time of its controller's last write, as written; empty where absent. */
  readonly lastUpdateTime: string;
}

/**
 * Returns the metadata of an object; empty where it has none. The members have the types that a server's responses are checked for
 * (`response-object.ts`); in an object that nothing has checked they may have others.
 */
export function metadataOf(object: Json | undefined): ObjectMetadata {
  return isJsonObject(object) && isJsonObject(object.metadata) ? (object.metadata as ObjectMetadata) : {};
}

/** Returns true if an object, or the identity of one, is of the kind Secret. */
export function isSecret(object: Json | undefined): object is JsonObject;
export function isSecret(identity: { readonly apiVersion: string; readonly kind: string }): boolean;
export function isSecret(object: object | Json | undefined): boolean {
  const { apiVersion, kind } = isJsonObject(object as Json | undefined) ? (object as JsonObject) : {};
  return apiVersion === 'v1' && kind === 'Secret';
}

/** Returns the name of an object; empty where it has none. */
export function nameOf(object: Json | undefined): string {
  return metadataOf(object).name ?? '';
}

/** Returns the uid of a live object: empty where the object has none, undefined where there is no object. */
export function uidOf(live: JsonObject): string;
export function uidOf(live: JsonObject | undefined): string | undefined;
export function uidOf(live: JsonObject | undefined): string | undefined {
  return live && (metadataOf(live).uid ?? '');
}

/** Returns the members that pin a write to a live object as it was read. Source: Kubernetes API reference, Preconditions. */
export function preconditionsOf(live: JsonObject): { readonly uid: string; readonly resourceVersion: string } {
  const { uid = '', resourceVersion = '' } = metadataOf(live);
  return { uid, resourceVersion };
}

/** Returns true where an object has a deletion timestamp: it is deleted once its finalizers are removed. */
export function isTerminating(object: Json | undefined): boolean {
  return metadataOf(object).deletionTimestamp !== undefined;
}

/** Returns the finalizers in the metadata of an object. */
export function finalizersOf(object: Json | undefined): readonly string[] {
  const { finalizers } = metadataOf(object);
  return Array.isArray(finalizers) ? (finalizers as readonly string[]).map(String) : [];
}

/** Returns the conditions in the status of an object, whoever wrote them. */
export function conditionsOf(object: Json | undefined): readonly StatusCondition[] {
  return rawConditionsOf(object).map(({ type, status, reason, message, observedGeneration, ...times }) => ({
    type: String(type),
    status: String(status),
    reason: String(reason ?? ''),
    message: String(message ?? ''),
    ...(typeof observedGeneration === 'number' ? { observedGeneration } : {}),
    lastTransitionMs: Date.parse(String(times.lastTransitionTime)),
    lastUpdateTime: String(times.lastUpdateTime ?? times.lastTransitionTime ?? ''),
  }));
}

/** Returns the condition of a type; undefined where the status has none. */
export function conditionOf(object: Json | undefined, type: string): StatusCondition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/** Returns the conditions in the status of an object as they are written, with every member. */
export function rawConditionsOf(object: Json | undefined): readonly JsonObject[] {
  const status = isJsonObject(object) ? object.status : undefined;
  const conditions = isJsonObject(status) ? status.conditions : undefined;
  return Array.isArray(conditions) ? (conditions as readonly Json[]).filter(isJsonObject) : [];
}
