/**
 * `fieldwise/ssa`: server-side apply without a server, the merge and ownership rules of the Kubernetes API as pure functions. See
 * docs/ssa.md for examples.
 *
 * Responses of a server are results: `apply` returns `applied`, `conflict` or `error` with the message of the server. Misuse, such as an
 * invalid schema or an object in a version that the kind does not have, throws a FieldwiseError with a code.
 */

import { type FieldSet, readFieldsV1 as readFields } from '../fields/index.js';
import {
  customKind,
  extract as extractFields,
  fieldSetOf,
  type PrunedContainers,
  type VersionedKind,
  versionedKind,
} from '../merge/index.js';
import {
  type ApplyOutcome,
  applyRequest,
  ignoredFields,
  type OwnershipCache,
  type RequestScope,
  updateRequest,
  withoutNewTimes,
} from '../ownership/index.js';
import { isCrdDocument, type OpenApiDocument, type RootType, readCrd, readOpenApi } from '../schema/index.js';
import { groupOf } from '../util/api-version.js';
import { FieldwiseError } from '../util/error.js';
import { invalidArgument } from '../util/invalid-argument.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../util/json.js';
import { requireJsonObject } from '../util/require-json-object.js';

export {
  difference,
  equalSets,
  type FieldPath,
  type FieldSet,
  fieldSetOfPaths,
  formatPath,
  has,
  intersection,
  isEmpty,
  leaves,
  membersOf,
  type PathElement,
  recursiveDifference,
  union,
  valueAt,
  writeFieldsV1,
} from '../fields/index.js';
export {
  ConversionError,
  customKind,
  type PrunedContainers,
  type VersionedKind,
  versionedKind,
} from '../merge/index.js';
export {
  type ApplyOutcome,
  type ConflictCause,
  createCache,
  type ManagedFieldsEntry,
  managedFieldsOf,
  type OwnershipCache,
} from '../ownership/index.js';
export type { RootType } from '../schema/index.js';
export { FieldwiseError } from '../util/error.js';
export { parseExactJson, stringifyExactJson } from '../util/exact-json.js';
export type { Json, JsonObject } from '../util/json.js';

/**
 * Reads FieldsV1 as the server does: unknown prefixes are skipped and the content of `.` is ignored. Anything but an object reads as the
 * empty set. Source: Kubernetes API reference, FieldsV1.
 *
 * @throws FieldwiseError `option-invalid` if it contains itself, or nests deeper than 1,000 levels.
 */
export function readFieldsV1(fields: Json | undefined): FieldSet {
  if (isJsonObject(fields)) requireJsonObject('The argument `fields`', fields);
  return readFields(fields);
}

/** The kinds that `readSchema` found, by apiVersion and kind. */
export interface Kinds {
  /** Returns a kind, such as `kinds.get('apps/v1', 'Deployment')`; undefined if no document describes it. */
  get(apiVersion: string, kind: string): VersionedKind | undefined;
}

/**
 * Reads schemas: CustomResourceDefinitions, and parsed OpenAPI v3 documents as `/openapi/v3/apis/GROUP/VERSION` returns them.
 *
 * ```ts
 * const kinds = readSchema(parse(readFileSync('crd.yaml', 'utf8')));
 * const gateway = kinds.get('edge.example.com/v1', 'SharedGateway');
 * ```
 *
 * @throws FieldwiseError `crd-invalid`, `openapi-invalid` or `schema-too-deep`, with the location in the document.
 */
export function readSchema(...documents: readonly unknown[]): Kinds {
  const kinds = new Map<string, VersionedKind>();
  for (const crd of documents.filter(isCrdDocument)) {
    const { roots } = readCrd(crd);
    for (const root of roots) kinds.set(`${root.apiVersion} ${root.kind}`, customKind(...roots));
  }
  const openApi = documents
    .filter((document) => !isCrdDocument(document))
    .map((document, index): OpenApiDocument => ({ name: `document ${index + 1}`, document }));
  const { roots } = readOpenApi(openApi);
  for (const root of roots)
    kinds.set(`${root.apiVersion} ${root.kind}`, versionedKind(...roots.filter((other) => isSameKind(root, other))));
  return { get: (apiVersion, kind) => kinds.get(`${apiVersion} ${kind}`) };
}

function isSameKind(left: RootType, right: RootType): boolean {
  return left.kind === right.kind && groupOf(left.apiVersion) === groupOf(right.apiVersion);
}

/** Options that `apply` and `update` share. */
export interface WriteOptions {
  /** The kind of the object, from `readSchema`. */
  readonly kind: VersionedKind;
  /** The live object, including managedFields; undefined if there is none. */
  readonly live: JsonObject | undefined;
  /** The field manager. */
  readonly manager: string;
  /** `status` or another subresource; absent for the object itself. */
  readonly subresource?: string;
  /**
   * Returns the time of the request; the server counts whole seconds.
   *
   * @default the system clock
   */
  readonly now?: () => Date;
  /**
   * For a built-in kind: the zero value of its Go type, such as `{ metadata: {}, spec: { strategy: {} }, status: {} }`, which represents an
   * object that does not exist. It decides the `.` markers in the entry of an `update` without `live`, and in that of `before-first-apply`,
   * which an `apply` adds if `live` has no managedFields.
   *
   * @default an object of apiVersion and kind, as for custom resources
   */
  readonly zeroValue?: JsonObject;
  /** A cache that `createCache` returned, to be passed to many calls. */
  readonly cache?: OwnershipCache;
}

/** Options of `apply`. */
export interface ApplyOptions extends WriteOptions {
  /** The partial object; `live` must have the same `apiVersion`. */
  readonly intent: JsonObject;
  /**
   * Forces fields that others own with other values.
   *
   * @default false
   */
  readonly force?: boolean;
  /**
   * The value of a map or list after an apply removes its last member: an empty container, `keep-empty`, as in Kubernetes 1.36.2, or
   * `null`, as in 1.36.3.
   *
   * @default 'keep-empty'
   */
  readonly prunedContainers?: PrunedContainers;
}

/**
 * Applies an intent by the rules of server-side apply, up to the point where a server would fill in defaults and validate.
 *
 * ```ts
 * const first = apply({ kind, live: undefined, intent: { ...widget, spec: { size: 1 } }, manager: 'alice' });
 * const second = apply({ kind, live: first.object, intent: { ...widget, spec: { size: 2 } }, manager: 'bob' });
 * // { outcome: 'conflict', message: 'Apply failed with 1 conflict: conflict with "alice": .spec.size', causes: […] }
 * ```
 *
 * The arguments are not changed; the result shares structure with them. `changed` is false if the result equals `live`.
 * Source of the rules: Kubernetes documentation "Server-Side Apply"; KEP-555.
 *
 * @throws FieldwiseError `version-unknown`, `option-invalid`. Conflicts and rejections are results.
 */
export function apply(options: ApplyOptions): ApplyOutcome {
  const scope = scopeOf(options, 'intent', options?.intent);
  const { intent, live, force, prunedContainers } = options;
  const outcome = applyRequest({
    ...scope,
    ...(prunedContainers === undefined ? {} : { prunedContainers }),
    live,
    intent,
    force: force === true,
  });
  if (outcome.outcome !== 'applied') return outcome;
  const object = withoutNewTimes(live, outcome.object);
  return { outcome: 'applied', object, changed: live === undefined || !jsonEqual(live, object) };
}

/** Options of `update`. */
export interface UpdateOptions extends WriteOptions {
  /** The complete object of the request. */
  readonly object: JsonObject;
}

/**
 * Returns the object with the managedFields that it has after a write by any other verb (create, PUT, merge patch, JSON patch).
 *
 * ```ts
 * const scaled = update({ kind, live, object: { ...live, spec: { ...live.spec, replicas: 5 } }, manager: 'hpa' });
 * ```
 *
 * @throws FieldwiseError `version-unknown`, `option-invalid`.
 */
export function update(options: UpdateOptions): JsonObject {
  const scope = scopeOf(options, 'object', options?.object);
  const { live, object } = options;
  return withoutNewTimes(live, updateRequest({ ...scope, live, object }));
}

/**
 * Returns the fields that an intent declares, which its manager owns after an apply.
 *
 * ```ts
 * writeFieldsV1(fieldSet(kind, intent)); // { 'f:spec': { 'f:size': {} } }, and apiVersion, kind and name
 * ```
 *
 * @throws FieldwiseError `version-unknown`, `option-invalid`.
 */
export function fieldSet(kind: VersionedKind, intent: JsonObject): FieldSet {
  const { schema, type } = rootFor(kind, 'argument `intent`', intent);
  return fieldSetOf(schema, type, intent);
}

/** Options of `extract`. */
export interface ExtractOptions {
  /** The kind of the object, from `readSchema`. */
  readonly kind: VersionedKind;
  /** The object, in a version that the kind has. */
  readonly object: JsonObject;
  /** The fields to return, such as those of an entry of `managedFieldsOf`. */
  readonly fields: FieldSet;
}

/**
 * Returns the fields of an object that are in a field set, such as the fields that a manager applied, with the keys of list items. Returns
 * undefined if the object has none of the fields.
 *
 * ```ts
 * const [alice] = managedFieldsOf(live);
 * extract({ kind, object: live, fields: alice.fields }); // { spec: { size: 1 } }
 * ```
 *
 * @throws FieldwiseError `version-unknown`, `option-invalid`.
 */
export function extract({ kind, object, fields }: ExtractOptions): JsonObject | undefined {
  const { schema, type } = rootFor(kind, 'option `object`', object);
  return extractFields(schema, type, object, fields) as JsonObject | undefined;
}

function scopeOf(options: WriteOptions, name: 'intent' | 'object', object: JsonObject): RequestScope {
  if (!isJsonObject(options)) throw invalidArgument('The argument `options`', options, 'an object');
  const { kind, live, manager, subresource, now, zeroValue, cache } = options;
  const root = rootFor(kind, `option \`${name}\``, object);
  if (live !== undefined) requireSameKind(live, object);
  if (typeof manager !== 'string') throw invalidArgument('The option `manager`', manager, 'the name of a field manager');
  const time = now?.() ?? new Date();
  if (Number.isNaN(time.getTime())) throw invalidArgument('The option `now`', now, 'a function that returns a valid Date');
  return {
    kind,
    apiVersion: root.apiVersion,
    manager,
    now: time.toISOString().replace(/\.\d+Z$/, 'Z'),
    ignored: ignoredFields(root, subresource),
    ...(subresource === undefined ? {} : { subresource }),
    ...(zeroValue === undefined ? {} : { zeroValue }),
    ...(cache === undefined ? {} : { cache }),
  };
}

/** @throws FieldwiseError `option-invalid` unless the live object is JSON, with the apiVersion and kind of another object. */
function requireSameKind(live: JsonObject, { apiVersion, kind }: JsonObject): void {
  requireJsonObject('The option `live`', live);
  if (live.apiVersion === apiVersion && live.kind === kind) return;
  throw new FieldwiseError(
    'option-invalid',
    'usage',
    `The option \`live\` has the kind ${kindText(live)}, not ${kindText({ apiVersion, kind })}`,
    {
      next: 'Pass the live object in the apiVersion of the other one; undefined if there is none.',
    },
  );
}

/**
 * Returns the type of an object.
 *
 * @param name such as ``option `object` ``.
 */
function rootFor(kind: VersionedKind, name: string, object: JsonObject): RootType {
  if (!(kind?.versions instanceof Map)) throw invalidArgument('The kind', kind, 'a kind that `readSchema` returned');
  requireJsonObject(`The ${name}`, object);
  const root = kind.versions.get(String(object.apiVersion));
  if (root === undefined) {
    const versions = [...kind.versions.keys()].join(', ');
    throw new FieldwiseError('version-unknown', 'usage', `The kind has no version ${JSON.stringify(object.apiVersion ?? null)}`, {
      next: `Use an object in one of its versions (${versions}), or read the schema of the other version as well.`,
    });
  }
  if (object.kind === root.kind) return root;
  throw new FieldwiseError('option-invalid', 'usage', `The ${name} has the kind ${kindText(object)}, not ${root.kind}`, {
    next: 'Pass an object of the kind.',
  });
}

function kindText({ apiVersion, kind }: JsonObject): string {
  return `${String(apiVersion)} ${String(kind)}`;
}
