import type { PartialObject } from '../../assembly/types.js';
import { ApiError } from '../../kubernetes/index.js';
import { definedGroupKind, groupKindOf } from './group-kind.js';

/** The longest time, in milliseconds, for which an API server is expected to apply the previous schema of a changed kind. */
const schemaDelay = 5_000;

/**
 * The CustomResourceDefinitions that a run has created or changed. An API server stores a definition first and applies its schema a moment
 * later, when its watch delivers the change: until then it rejects objects that only the new schema permits. No condition of the definition
 * tells when the schema is in effect (measured on 1.36.3).
 */
export class ChangedDefinitions {
  readonly #changedAt = new Map<string, number>();

  /** Records the change of an object if it is a CustomResourceDefinition. */
  record(definition: PartialObject, now: number): void {
    const defined = definedGroupKind(definition);
    if (defined !== undefined) this.#changedAt.set(defined, now);
  }

  /** Returns true if the server may have rejected an object because it still applies the previous schema of its kind. */
  mayExplain(error: unknown, object: { readonly apiVersion: string; readonly kind: string }, now: number): boolean {
    const changedAt = this.#changedAt.get(groupKindOf(object));
    return changedAt !== undefined && now - changedAt < schemaDelay && isSchemaError(error);
  }
}

function isSchemaError(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 422 || error.message.startsWith('failed to create typed patch object'));
}
