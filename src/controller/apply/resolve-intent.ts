import type { ApplyConfiguration } from '../../builders/index.js';
import { builderTypeOf, buildLiteral } from '../../builders/index.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { addressOf } from '../../kubernetes/object-address.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';

/** A plain intent, and the address to which it is applied. */
export interface ResolvedIntent {
  readonly address: ObjectAddress;
  readonly object: JsonObject;
}

/** Resolves an intent. @throws FieldwiseError `intent-invalid`, `intent-without-name`, `intent-without-kind`, `kind-unknown`. */
export async function resolveIntent(cluster: ClusterClient, intent: ApplyInput): Promise<ResolvedIntent> {
  const object = ownIntent(intent);
  return { object, address: await addressOf(cluster, object) };
}

/** Returns the plain object that an intent declares. @throws FieldwiseError `intent-invalid`, `intent-without-name`. */
export function declaredObject(intent: ApplyInput): JsonObject {
  const root = builderTypeOf(intent)?.root;
  return root ? buildLiteral(root, intent) : (intent as JsonObject);
}

/**
 * Returns the plain object that an intent declares, as it is sent: a caller that changes the intent while an apply is under way changes
 * neither of its passes.
 *
 * @throws FieldwiseError `intent-invalid`, `intent-without-name`.
 */
export function ownIntent(intent: ApplyInput): JsonObject {
  return parseExactJson(stringifyExactJson(declaredObject(intent))) as JsonObject;
}

/** A builder of a whole object, or a plain object with apiVersion and kind. */
export type ApplyInput = ApplyConfiguration<string, object> | JsonObject;
