import type { JsonObject } from '../../util/json.js';
import type { User } from '../authentication/user.js';
import type { Backend } from './backend.js';

/** A kind whose objects are answered and never kept: a question to the server, put by creating one. */
export interface Review {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Members that the answer has beside those of the question. May throw a Failure. */
  evaluate(backend: Backend, user: User, spec: JsonObject, namespace: string | undefined): JsonObject;
}

export function pluralOf({ kind }: Review): string {
  return `${kind.toLowerCase()}s`;
}
