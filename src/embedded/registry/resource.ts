import type { FieldPath, FieldSet } from '../../fields/index.js';
import type { ExplicitEmptyLists, VersionedKind } from '../../merge/index.js';
import type { JsonObject } from '../../util/json.js';
import type { FieldError } from '../api/field-error.js';

/** A resource as the server serves it, in all its versions. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Served versions by name, the preferred one first. */
  readonly versions: ReadonlyMap<string, ServedVersion>;
  /** apiVersion in which objects are stored. */
  readonly storage: string;
  /** For the merge engine: the schemas of all versions. */
  readonly types: VersionedKind;
  readonly verbs: readonly string[];
  readonly strategy: RestStrategy;
}

export interface ServedVersion {
  readonly name: string;
  readonly apiVersion: string;
  readonly status: boolean;
  readonly scale: ScalePaths | undefined;
  /** Warning of every request, where the version is deprecated. */
  readonly deprecated?: string;
}

export interface ScalePaths {
  readonly replicas: FieldPath;
  readonly statusReplicas: FieldPath;
  readonly selector: FieldPath | undefined;
}

/** An object after decoding, with an annotation that JSON cannot hold. */
export interface DecodedObject {
  readonly object: JsonObject;
  /** Members in which the author gave empty maps or lists: they count as changed, though the object does not show them. */
  readonly explicitEmpty: readonly string[];
  /** Lists of the object that an update counts as changed although they are equal as JSON; absent for custom resources. */
  readonly explicitEmptyLists?: ExplicitEmptyLists | undefined;
}

/** A request body after decoding. */
export interface DecodedRequest extends DecodedObject {
  /** Paths of fields that the schema does not have; they are not in the object any more. */
  readonly unknownFields: readonly string[];
}

/**
 * In what the objects of a resource differ from plain JSON: built-in kinds go through Go structs with defaults and validation of their
 * own, custom ones through their structural schema.
 */
export interface RestStrategy {
  readonly custom: boolean;
  /** What an absent object is to the merge engine; undefined for custom resources. */
  zeroValue(apiVersion: string): JsonObject | undefined;
  /** Fields that a request cannot set, by apiVersion. */
  resetFields(apiVersion: string, subresource: string | undefined): ReadonlyMap<string, FieldSet> | undefined;
  /** The body of a create, update or patched object: unknown fields go, defaults come. May throw a Failure. */
  decodeRequest(object: JsonObject, apiVersion: string): DecodedRequest;
  /** What the merge engine made of an apply, with defaults; `named` is the intent, which refusals call the object by. May throw a Failure. */
  default(object: JsonObject, apiVersion: string, named?: JsonObject): DecodedObject;
  /** An object as it is written down, in the version in which it was requested: what reading it back would lose may still be in it. */
  encode(object: JsonObject): JsonObject;
  /** Whether managedFields that are equal as JSON are so in their bytes, too. */
  sameManagedFieldsEncoding(left: JsonObject, right: JsonObject): boolean;
  /** A stored object as it is read back, in a version. */
  decode(stored: JsonObject, apiVersion: string): JsonObject;
  /** What a create may not bring along goes (status), generation and the like come. */
  prepareForCreate(object: JsonObject, request: CreateRequest): JsonObject;
  /** What this resource cannot write comes from the live object; the generation moves on where the content changed. */
  prepareForUpdate(object: JsonObject, update: UpdateContext): JsonObject;
  /** Rules about the content; `update` is undefined for a create. */
  validate(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[];
  /** Warnings that the content deserves. */
  warnings(object: JsonObject, update: UpdateContext | undefined): readonly string[];
  /** Why a PATCH of the Scale cannot be read back, see `RequestScope.unreadable`. */
  readonly unreadableScale?: string;
}

/** What a resource may know of the request that creates an object. */
export interface CreateRequest {
  readonly subresource: string | undefined;
  readonly dryRun: boolean;
}

/** The parts of an update that a strategy decides by, beside the new object. */
export interface UpdateContext {
  /** The object before the update, in the version of the request. */
  readonly live: JsonObject;
  readonly subresource: string | undefined;
  /** See `DecodedObject`. */
  readonly explicitEmpty: readonly string[];
}

/** Name of a resource in the store. */
export function storeName(resource: Pick<Resource, 'group' | 'plural'>): string {
  return `${resource.group}/${resource.plural}`;
}

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The verbs of a resource that can do everything, as discovery lists them. */
export const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

export const subresourceVerbs = ['get', 'patch', 'update'] as const;
