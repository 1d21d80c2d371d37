import type { ApplyConfiguration } from '../builders/index.js';
import { builderTypeOf, buildLiteral } from '../builders/index.js';
import type { Cluster, ObjectAddress } from '../kubernetes/index.js';
import { FieldwiseError } from '../util/error.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** An intent as it is sent, and where to. */
export interface ResolvedIntent {
  readonly address: ObjectAddress;
  readonly object: JsonObject;
}

/** @throws FieldwiseError `intent-invalid`, `intent-without-name`, `intent-without-kind`, `kind-unknown`. */
export async function resolveIntent(cluster: Cluster, intent: ApplyInput): Promise<ResolvedIntent> {
  const object = declaredObject(intent);
  return { object, address: await addressOf(cluster, object) };
}

/** Returns the plain object that an intent declares. @throws FieldwiseError `intent-invalid`, `intent-without-name`. */
export function declaredObject(intent: ApplyInput): JsonObject {
  const root = builderTypeOf(intent)?.root;
  return root ? buildLiteral(root, intent) : (intent as JsonObject);
}

/** Where an object is: one that is read or one that is declared. */
export async function addressOf(cluster: Cluster, { apiVersion, kind, metadata }: JsonObject): Promise<ObjectAddress> {
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw incompleteObjectError('intent-without-kind', 'apiVersion and kind');
  if (typeof name !== 'string' || name === '') throw incompleteObjectError('intent-without-name', 'metadata.name');
  const resource = await cluster.resourceOf(apiVersion, kind);
  if (!resource.namespaced) return { resource, name };
  return { resource, name, namespace: typeof namespace === 'string' ? namespace : cluster.defaultNamespace };
}

/** `apps/v1 Deployment shop/web`. */
export function addressText({ resource, namespace, name }: ObjectAddress): string {
  return `${resource.apiVersion} ${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function incompleteObjectError(code: 'intent-without-kind' | 'intent-without-name', what: string): FieldwiseError {
  return new FieldwiseError(code, 'usage', `An object needs ${what} to be addressed`, { next: 'Use a builder of a whole object.' });
}

/** A builder of a whole object, or a plain object with apiVersion and kind. */
export type ApplyInput = ApplyConfiguration<string, object> | JsonObject;
