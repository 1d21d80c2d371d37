import type { PartialObject } from '../../assembly/types.js';
import { nameOf } from '../../fields/object.js';
import { ApiError } from '../../kubernetes/index.js';
import { definedGroupKind, groupKindOf } from './group-kind.js';

/** The longest time, in milliseconds, for which an API server is expected to apply the previous schema of a changed kind, or to miss a new class. */
const longestDelay = 5_000;

/**
 * The CustomResourceDefinitions that a run has created or changed. An API server stores a definition first and applies its schema a moment
 * later, when its watch delivers the change: until then it rejects objects that only the new schema permits. No condition of the definition
 * tells when the schema is in effect (measured on 1.36.3). Admission reads PriorityClasses from a cache in the same way, and refuses a pod of one that
 * is not there yet.
 */
export class ChangedDefinitions {
  /** By the group and kind that is defined, and by the name of a PriorityClass. */
  readonly #changedAt = new Map<string, number>();

  /** Records the change of an object if it is a CustomResourceDefinition or a PriorityClass. */
  record(object: PartialObject, now: number): void {
    const defined = groupKindOf(object) === priorityClass ? classKey(nameOf(object)) : definedGroupKind(object);
    if (defined !== undefined) this.#changedAt.set(defined, now);
  }

  /** Returns true if the server may have rejected an object because it does not know yet what the run has changed. */
  mayExplain(error: unknown, object: { readonly apiVersion: string; readonly kind: string }, now: number): boolean {
    const missing = missingClass(error);
    if (missing === undefined && !isSchemaError(error)) return false;
    const changedAt = this.#changedAt.get(missing ?? groupKindOf(object));
    return changedAt !== undefined && now - changedAt < longestDelay;
  }
}

const priorityClass = 'scheduling.k8s.io/PriorityClass';

function classKey(name: string): string {
  return `${priorityClass} ${name}`;
}

/** Returns the key of the class that admission has not found. */
function missingClass(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 403) return undefined;
  const [, name] = / no PriorityClass with name (\S+) was found/.exec(error.message) ?? [];
  return name === undefined ? undefined : classKey(name);
}

function isSchemaError(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 422 || error.message.startsWith('failed to create typed patch object'));
}
