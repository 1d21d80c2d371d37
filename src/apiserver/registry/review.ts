import type { JsonObject } from '../../util/json.js';
import type { User } from '../api/user.js';
import type { Backend } from './backend.js';

/** A kind whose objects are evaluated and never stored: a POST returns the object with the result. */
export interface Review {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Returns the members that the response adds to the request. @throws StatusError */
  evaluate(backend: Backend, user: User, spec: JsonObject, namespace: string | undefined): JsonObject;
}

export function pluralOf({ kind }: Review): string {
  return `${kind.toLowerCase()}s`;
}
