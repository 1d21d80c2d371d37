import type { Json } from '../util/json.js';
import type { ValueValidation } from './value-validation.js';

/**
 * The type model of structured merge: what may stand at a position and how two owners share it.
 * Source: Kubernetes documentation "Server-Side Apply", section "Merge strategy"; KEP-555.
 */

/** A type. Several parts may coexist (int-or-string, any JSON); the value's run-time kind picks the part. */
export interface Type {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
  /** Bounds, patterns and junctors about the value; they say nothing about owners. */
  readonly valueValidation?: ValueValidation;
  /** The schema author's description; present only if a reader was asked to keep it, and never compared. */
  readonly description?: string;
}

/** A type of scalars. */
export interface ScalarType {
  readonly kind: 'numeric' | 'string' | 'boolean' | 'untyped';
  /** Of `numeric`: whole numbers only. */
  readonly integer?: boolean;
  /** The only values allowed. */
  readonly enum?: readonly Json[];
  readonly format?: string;
}

/** A type of lists, with their relation of ownership. */
export interface ListType {
  /** `associative`: items have an identity (their keys, or the value itself) and owners of their own; `atomic`: one owner. */
  readonly relation: 'associative' | 'atomic';
  /** Set on an atomic list if the schema says so. Server-side apply also treats a list without a list type as atomic. */
  readonly explicit?: true;
  /** Map keys of an associative list of objects, sorted by name; empty for a set and for an atomic list. */
  readonly keys: readonly string[];
  readonly element: TypeRef;
  /** Items may be null. */
  readonly nullable?: boolean;
}

/** A type of maps and objects, with their relation of ownership. */
export interface MapType {
  /** `granular`: each member has owners of its own; `atomic`: one owner for the whole. */
  readonly relation: 'granular' | 'atomic';
  /** Declared fields by wire name. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Names of declared fields that the schema requires. */
  readonly required: readonly string[];
  /** Type of undeclared members, by which a server merges them; absent where undeclared members are rejected. */
  readonly element?: TypeRef;
  /** Set where the server prunes undeclared members: it merges them and records their owners, but does not store them. */
  readonly pruned?: true;
  /** Undeclared members may be null. */
  readonly nullable?: boolean;
}

/** A field of an object type. */
export interface Field {
  readonly type: TypeRef;
  readonly default?: Json;
  readonly nullable?: boolean;
  /** See `Type.description`. */
  readonly description?: string;
}

/** A reference by name into `Schema.types` (recursion needs names), or a type in place. */
export type TypeRef =
  | {
      readonly name: string;
      /** Overrides the map relation of the named type at this position. */
      readonly mapRelation?: 'granular' | 'atomic';
    }
  | { readonly inline: Type };

/** The named types of a document. */
export interface Schema {
  readonly types: ReadonlyMap<string, Type>;
}

/** The type of a whole object and where the API serves it. */
export interface RootType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly schema: Schema;
  readonly type: TypeRef;
  /** The plural under which the API serves it, where the source says so. */
  readonly resource?: string;
  /** Subresources that can be applied separately; with `status` among them the main resource ignores `.status`. */
  readonly subresources?: readonly string[];
  /** The deprecation text, if the source marks the version as deprecated. */
  readonly deprecated?: string;
  /**
   * Paths such as `.spec.listeners` whose list relation comes from an overlay, not from the CRD author: it takes effect once the patched
   * CRD is deployed.
   */
  readonly overlaid?: readonly string[];
  /** Set on a root that is written through a subresource, such as `status`. */
  readonly subresource?: string;
}
