import type { FieldPath, FieldSet } from '../../fields/index.js';
import type { ExplicitEmptyLists, VersionedKind } from '../../merge/index.js';
import type { JsonObject } from '../../util/json.js';
import { onceFor } from '../../util/once-for.js';
import type { FieldError } from '../api/field-error.js';
import type { SelectableFields } from './field-selector.js';

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
  /** Store of the objects, if the resource shares that of another group. */
  readonly sharedStore?: string;
  /** The schemas of all versions, for merges. */
  readonly types: VersionedKind;
  readonly verbs: readonly string[];
  readonly strategy: RestStrategy;
  /** False for a definition that is served and that discovery does not show yet. @default true */
  readonly established?: boolean;
  /** True if no request is served, because no connection to the conversion webhook can be prepared. @default false */
  readonly unresolvable?: boolean;
  /** True if a webhook converts objects between versions. */
  readonly convertedByWebhook?: boolean;
  /** True while the CustomResourceDefinition is being deleted: no object can be created. */
  readonly terminating?: boolean;
}

export interface ServedVersion {
  readonly name: string;
  readonly apiVersion: string;
  readonly status: boolean;
  readonly scale: ScalePaths | undefined;
  /** Verbs of the subresources that write one member, by name. */
  readonly parts?: Readonly<Record<string, readonly string[]>>;
  /** The schema that a CustomResourceDefinition declares. */
  readonly declaredSchema?: JsonObject;
  /** Columns of Tables that a CustomResourceDefinition declares. */
  readonly printerColumns?: readonly JsonObject[];
  /** Fields that a field selector may name. @default name and namespace */
  readonly selectable?: SelectableFields | undefined;
  /** Warning for every request, if the version is deprecated. */
  readonly deprecated?: string;
}

export interface ScalePaths {
  readonly replicas: FieldPath;
  readonly statusReplicas: FieldPath;
  readonly selector: FieldPath | undefined;
}

/** An object after decoding, with information that its JSON does not contain. */
export interface DecodedObject {
  readonly object: JsonObject;
  /** Members in which the author gave empty maps or lists that the object omits. An update counts these members as changed. */
  readonly explicitEmpty: readonly string[];
  /** Lists of the object that an update counts as changed although they are equal as JSON; absent for custom resources. */
  readonly explicitEmptyLists?: ExplicitEmptyLists | undefined;
}

/** A request body after decoding. */
export interface DecodedRequest extends DecodedObject {
  /** Paths of fields that the schema does not declare; they were removed from the object. */
  readonly unknownFields: readonly string[];
}

/**
 * The behavior of a resource, as `rest.RESTCreateUpdateStrategy` of kube-apiserver: built-in kinds are Go structs with their own
 * defaults and validation, custom ones follow their structural schema.
 */
export interface RestStrategy {
  readonly custom: boolean;
  /** Returns the value that a merge uses for an absent object; undefined for custom resources. */
  zeroValue(apiVersion: string): JsonObject | undefined;
  /** Returns the fields that a request cannot set, by apiVersion. */
  resetFields(apiVersion: string, subresource: string | undefined): ReadonlyMap<string, FieldSet> | undefined;
  /** Decodes a request body or patched object: removes unknown fields and adds defaults. @throws StatusError */
  decodeRequest(object: JsonObject, apiVersion: string): DecodedRequest;
  /** Adds defaults to the result of an apply; `named` is the intent, by whose name errors refer to the object. @throws StatusError */
  default(object: JsonObject, apiVersion: string, named?: JsonObject): DecodedObject;
  /** Encodes an object for storage, in the version of the request. It may hold values that `decode` does not return. */
  encode(object: JsonObject): JsonObject;
  /** Returns true if managedFields that are equal as JSON are also encoded in the same bytes. */
  sameManagedFieldsEncoding(left: JsonObject, right: JsonObject): boolean;
  /** Decodes a stored object to a version. */
  decode(stored: JsonObject, apiVersion: string): JsonObject;
  /** Removes what a create cannot set, such as the status, and sets the generation and other values of the server. */
  prepareForCreate(object: JsonObject, request: CreateRequest): JsonObject;
  /** Restores what this update cannot change from the live object, and increments the generation if the content changed. */
  prepareForUpdate(object: JsonObject, update: UpdateRequest): JsonObject;
  /** Returns true for an object of another kind, whose metadata is not validated. Absent where the kind is checked with the body. */
  isOtherKind?(object: JsonObject): boolean;
  /** Loads what `validate` needs; undefined if nothing is missing. */
  prepareValidation?(): Promise<void> | undefined;
  /** Validates the content; `update` is undefined for a create. */
  validate(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[];
  /** Returns warnings about the content; `update` is undefined for a create. */
  warnings(object: JsonObject, update: UpdateContext | undefined): readonly string[];
  /** Reason why the result of an apply to the Scale cannot be decoded, see `RequestScope.unreadable`. */
  readonly unreadableScale?: string;
}

/** The parts of a create request that a strategy decides by. */
export interface CreateRequest {
  readonly subresource: string | undefined;
  readonly dryRun: boolean;
  /** See `DecodedObject`. */
  readonly explicitEmpty: readonly string[];
}

/** The parts of an update, other than the new object, that a strategy decides by. */
export interface UpdateContext {
  /** The object before the update, in the version of the request. */
  readonly live: JsonObject;
  readonly subresource: string | undefined;
  /** See `DecodedObject`. */
  readonly explicitEmpty: readonly string[];
}

/** An update that is prepared, at the time of the request, as objects hold it. */
export interface UpdateRequest extends UpdateContext {
  readonly now: string;
}

/** Returns the name of a resource in the store. */
export const storeName = onceFor(
  ({ group, plural, sharedStore }: Pick<Resource, 'group' | 'plural' | 'sharedStore'>) => sharedStore ?? `${group}/${plural}`,
);

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** All verbs of a resource, as discovery lists them. */
export const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

export const subresourceVerbs = ['get', 'patch', 'update'] as const;
