import type { JsonObject } from '../../util/json.js';
import type { AuthorizerValue } from '../cel/functions/authorizer.js';

/** A resource in one of its versions, and its kind. */
export interface VersionedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

/** A request that policies decide on. */
export interface PolicyRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The resource of the request. */
  readonly resource: VersionedResource;
  /** The same resource in its other versions and groups. */
  readonly equivalents: readonly VersionedResource[];
  /** Empty if there is none. */
  readonly subresource: string;
  /** Group, version and kind of the object, which a subresource such as `scale` has of its own. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Empty for an object without a namespace; the name for a Namespace. */
  readonly namespace: string;
  /** Empty for a deletion of a collection. */
  readonly name: string;
  /** As it would be stored; null for a deletion. */
  readonly object: JsonObject | null;
  /** As it is stored; null for a creation. */
  readonly oldObject: JsonObject | null;
  readonly options: JsonObject | null;
  readonly dryRun: boolean;
}

/** The surroundings of a request, which policies read. A function throws `NotKnownError` for what nobody knows. */
export interface PolicySurroundings {
  /** Returns an object in another version of its resource. */
  inVersion(object: JsonObject, resource: VersionedResource): JsonObject;
  /** Returns a Namespace; undefined if it does not exist. */
  namespace(name: string): JsonObject | undefined;
  /** Returns the objects of a kind; undefined if the server does not serve the kind. */
  params(kind: { readonly apiVersion: string; readonly kind: string }): ParamStore | undefined;
  /** Returns the user who sends the request, as a UserInfo. */
  user(): JsonObject;
  authorizer(): AuthorizerValue;
}

/** The objects that a policy may have as parameters. */
export interface ParamStore {
  readonly namespaced: boolean;
  /** Returns true if all objects are known that a binding may name or select in a namespace; undefined if nothing says that. */
  isComplete(binding: string, namespace: string): boolean | undefined;
  get(namespace: string, name: string): JsonObject | undefined;
  /** Returns all objects, or those of a namespace. */
  list(namespace: string): readonly JsonObject[];
}

/** The evaluation of a policy reads what nobody knows: `reads` names it, such as `request.userInfo`. Unlike other errors, no operator ignores it. */
export class NotKnownError extends Error {
  readonly reads: string;

  constructor(reads: string) {
    super(`${reads} is not known`);
    this.reads = reads;
  }
}
