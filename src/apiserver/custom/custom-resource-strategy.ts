import type { FieldPath, FieldSet } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { goType, goValue } from '../../merge/index.js';
import { ignoredFields } from '../../ownership/index.js';
import type { RootType } from '../../schema/index.js';
import { groupOf } from '../../util/api-version.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import { badRequest } from '../api/status-error.js';
import type { DecodedObject, DecodedRequest, RestStrategy, ServedVersion, UpdateContext } from '../registry/resource.js';
import { coercionError, embeddedTypeErrors } from './coerce.js';
import { Correlation } from './correlation.js';
import { withDefaults, withoutNulls } from './defaults.js';
import { duplicateErrors, embeddedErrors } from './list-type-rules.js';
import { unknownMetadata, withTypedMetadata } from './object-meta.js';
import { prune } from './prune.js';
import { mentionsRules, ruleModule } from './rule-module.js';
import type { RuleValidator } from './rule-validator.js';
import { propertiesOf, type StructuralSchema } from './structural-schema.js';
import { validateValue } from './validate-value.js';

export interface CustomVersion {
  readonly served: ServedVersion;
  readonly root: RootType;
  readonly schema: StructuralSchema;
}

/** The conversion between the versions of a definition. */
export interface VersionConversion {
  /** Converts an object to another version. It may throw what `withConversions` expects. */
  convert(object: JsonObject, apiVersion: string): JsonObject;
  /** Returns true if a stored object that was decoded before need not be converted again. */
  reusesDecoded(): boolean;
}

/** The strategy of a custom resource: its structural schema prunes, defaults and validates. */
export class CustomResourceStrategy implements RestStrategy {
  readonly custom = true;
  readonly unreadableScale = 'request to convert CR to an invalid group/version: autoscaling/v1';
  readonly #versions: ReadonlyMap<string, CustomVersion>;
  readonly #storage: string;
  readonly #conversion: VersionConversion;
  readonly #hasRules: boolean;
  readonly #rules = new Map<CustomVersion, RuleValidator | undefined>();
  /** Errors and warnings of one object are asked for one after the other. */
  #last: { readonly object: JsonObject; readonly live: JsonObject | undefined; readonly validation: Validation } | undefined;
  // A stored object is frozen, so its decoded form is computed once for each version.
  readonly #decodedObjects = new WeakMap<JsonObject, Map<string, JsonObject>>();

  /**
   * @param versions the served versions by apiVersion.
   * @param storage the apiVersion in which objects are stored.
   */
  constructor(versions: ReadonlyMap<string, CustomVersion>, storage: string, conversion: VersionConversion) {
    this.#versions = versions;
    this.#storage = storage;
    this.#conversion = conversion;
    this.#hasRules = [...versions.values()].some(({ schema }) => mentionsRules(schema));
  }

  zeroValue(): undefined {
    return undefined;
  }

  resetFields(apiVersion: string, subresource: string | undefined): ReadonlyMap<string, FieldSet> | undefined {
    return ignoredFields(this.#versionOf(apiVersion).root, subresource);
  }

  decodeRequest(object: JsonObject, apiVersion: string): DecodedRequest {
    const { root, served, schema: requestedSchema } = this.#versionOf(apiVersion);
    // A body of another kind is not checked against the schema, and an unknown version has no schema.
    const sent = String(object.apiVersion ?? apiVersion);
    const isOwn = object.kind === root.kind && groupOf(sent) === groupOf(apiVersion);
    const schema = isOwn ? (this.#versions.get(sent)?.schema ?? {}) : requestedSchema;
    const pruned = prune(object, schema);
    const known = withoutNulls(pruned.object, schema) as JsonObject;
    const metadataFailure = coercionError(known, isOwn ? schema : {});
    if (metadataFailure !== undefined) {
      throw badRequest(`${root.kind} in version "${served.name}" cannot be handled as a ${root.kind}: ${metadataFailure}`);
    }
    return {
      object: withTypedMetadata(withDefaults(known, schema), schema),
      explicitEmpty: [],
      unknownFields: isOwn ? pruned.unknown : unknownMetadata(object.metadata ?? null, 'metadata'),
    };
  }

  default(object: JsonObject, apiVersion: string): DecodedObject {
    return { object: withDefaults(object, this.#versionOf(apiVersion).schema), explicitEmpty: [] };
  }

  /**
   * Writes an object in the storage version unchanged, even with labels `{}` that ObjectMeta would omit; decodes a converted object by
   * ObjectMeta and the schema. Source: observed.
   */
  encode(object: JsonObject): JsonObject {
    if (object.apiVersion === this.#storage) return object;
    const { schema } = this.#versionOf(this.#storage);
    return this.#converted(object, this.#storage, schema);
  }

  /** Unstructured data does not preserve the order of members. */
  sameManagedFieldsEncoding(): boolean {
    return true;
  }

  decode(stored: JsonObject, apiVersion: string): JsonObject {
    const byVersion = this.#decodedObjects.get(stored) ?? new Map<string, JsonObject>();
    this.#decodedObjects.set(stored, byVersion);
    const isReused = stored.apiVersion === apiVersion || this.#conversion.reusesDecoded();
    const known = isReused ? byVersion.get(apiVersion) : undefined;
    const object = known ?? this.#decode(stored, apiVersion);
    byVersion.set(apiVersion, object);
    return object;
  }

  prepareForCreate(object: JsonObject): JsonObject {
    const { status: _, ...main } = object;
    return withGeneration(this.#hasStatus(object) ? main : object, 1);
  }

  prepareForUpdate(object: JsonObject, { live, subresource }: UpdateContext): JsonObject {
    if (subresource === 'status') return withStatusOf(object, live);
    const hasStatus = this.#hasStatus(object);
    const { status: _, ...main } = object;
    const { status: liveStatus } = live;
    const kept: JsonObject = !hasStatus ? object : liveStatus === undefined ? main : { ...main, status: liveStatus };
    const changed = !jsonEqual(content(kept, hasStatus), content(live, hasStatus));
    const generation = metadataOf(live).generation as number | undefined;
    return withGeneration(kept, (generation ?? 0) + (changed ? 1 : 0));
  }

  isOtherKind(object: JsonObject): boolean {
    return object.kind !== this.#versionOf(String(object.apiVersion)).root.kind;
  }

  prepareValidation(): Promise<void> | undefined {
    return this.#hasRules && !ruleModule.isLoaded ? ruleModule.load() : undefined;
  }

  validate(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
    return this.#validated(object, update).errors;
  }

  /** Returns the rules that are broken by values which the update does not change. */
  warnings(object: JsonObject, update: UpdateContext | undefined): readonly string[] {
    return update === undefined ? [] : this.#validated(object, update).warnings;
  }

  #validated(object: JsonObject, update: UpdateContext | undefined): Validation {
    if (this.#last?.object === object && this.#last.live === update?.live) return this.#last.validation;
    const validation = this.#validate(object, update);
    this.#last = { object, live: update?.live, validation };
    return validation;
  }

  #validate(object: JsonObject, update: UpdateContext | undefined): Validation {
    const version = this.#versionOf(String(object.apiVersion));
    const { schema, root } = version;
    const isOtherKind = this.isOtherKind(object);
    const correlation = update === undefined || isOtherKind ? undefined : new Correlation(object, update.live, schema);
    const own = isOtherKind
      ? [invalidValue('kind', object.kind ?? '', `must be ${root.kind}`)]
      : valueErrors(object, version, update?.subresource, correlation);
    const errors = [...own, ...embeddedErrors(object, schema, ''), ...embeddedTypeErrors(object, schema, '')];
    // Duplicates that were there before are allowed.
    if (update === undefined || duplicateErrors(update.live, schema, '').length === 0) errors.push(...duplicateErrors(object, schema, ''));
    const rules = this.#rulesOf(version);
    if (rules === undefined || isOtherKind) return { errors, warnings: [] };
    if (errors.some(({ type }) => blocking.has(type))) return { errors: [...errors, notChecked], warnings: [] };
    const result = ruleModule.get().validateRules(rules, object, correlation);
    return { errors: [...errors, ...result.errors], warnings: result.warnings };
  }

  #rulesOf(version: CustomVersion): RuleValidator | undefined {
    if (!this.#hasRules) return undefined;
    const known = this.#rules.get(version);
    if (known !== undefined || this.#rules.has(version)) return known;
    const rules = ruleModule.get().ruleValidator(version.schema);
    this.#rules.set(version, rules);
    return rules;
  }

  #versionOf(apiVersion: string): CustomVersion {
    return this.#versions.get(apiVersion) as CustomVersion;
  }

  #hasStatus(object: JsonObject): boolean {
    return this.#versionOf(String(object.apiVersion)).served.status;
  }

  /** Prunes and defaults by the schema of the stored version, converts, and prunes by that of the wanted version. Source: observed. */
  #decode(stored: JsonObject, apiVersion: string): JsonObject {
    const wanted = this.#versionOf(apiVersion);
    const { schema } = this.#versions.get(String(stored.apiVersion)) ?? wanted;
    const known = withoutNulls(prune(stored, schema).object, schema) as JsonObject;
    const defaulted = withTypedMetadata(withDefaults(known, schema), schema);
    if (schema === wanted.schema && stored.apiVersion === apiVersion) return defaulted;
    return this.#converted(defaulted, apiVersion, wanted.schema);
  }

  #converted(object: JsonObject, apiVersion: string, schema: StructuralSchema): JsonObject {
    const { object: pruned } = prune(this.#conversion.convert(object, apiVersion), schema);
    return withTypedMetadata(withoutNulls(pruned, schema) as JsonObject, schema);
  }
}

/** Returns the live object with the status and the managedFields of another. */
function withStatusOf(object: JsonObject, live: JsonObject): JsonObject {
  const { status } = object;
  const { status: _, ...main } = live;
  const { managedFields } = metadataOf(object);
  const { managedFields: __, ...metadata } = metadataOf(live);
  const owned = managedFields === undefined ? metadata : { ...metadata, managedFields };
  return { ...main, metadata: owned, ...(status === undefined ? {} : { status }) };
}

interface Validation {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** Errors after which rules are not evaluated, because these could not rely on the types and sizes of values. Source: observed. */
const blocking: ReadonlySet<string> = new Set(['unsupported', 'required', 'tooLong', 'tooMany', 'type']);
const notChecked: FieldError = {
  type: 'invalid',
  field: '<nil>',
  value: 'null',
  detail: 'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Returns the errors of values, and of the fields that are a scale. */
function valueErrors(
  object: JsonObject,
  { schema, served }: CustomVersion,
  subresource: string | undefined,
  correlation: Correlation | undefined,
): FieldError[] {
  return [
    ...(subresource === 'status' ? statusErrors(object, schema, correlation) : validateValue(object, schema, '', correlation)),
    ...scaleErrors(object, served, subresource),
    ...(subresource === 'status' ? selectorErrors(object, served) : []),
  ];
}

/** Validates the status alone, as the status subresource does. Source: observed. */
function statusErrors({ status }: JsonObject, schema: StructuralSchema, correlation: Correlation | undefined): FieldError[] {
  if (status === undefined) return [];
  const errors = validateValue(status, propertiesOf(schema).status ?? {}, '', correlation?.key('status'));
  return errors.map((error) => ({ ...error, field: error.field === '' || error.field === '<nil>' ? 'status' : `status.${error.field}` }));
}

function withGeneration(object: JsonObject, generation: number): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), generation } };
}

/** Returns the content whose change increments the generation: all but metadata, and but status if it has a subresource. */
function content(object: JsonObject, hasStatus: boolean): Json {
  const { metadata: _, apiVersion: __, status, ...rest } = object;
  return hasStatus || status === undefined ? rest : { ...rest, status };
}

/** Validates that the selector of a scale is a string. */
function selectorErrors(object: JsonObject, { scale }: ServedVersion): FieldError[] {
  if (scale?.selector === undefined) return [];
  const { field, value, misfit } = valueAt(object, scale.selector);
  if (misfit !== undefined) return [accessorError(field, '', misfit, 'map[string]interface{}')];
  return value === undefined || typeof value === 'string' ? [] : [accessorError(field, '', value, 'string')];
}

function scaleErrors(object: JsonObject, { scale }: ServedVersion, subresource: string | undefined): FieldError[] {
  if (scale === undefined) return [];
  const paths = subresource === 'status' ? [scale.statusReplicas] : [scale.replicas, scale.statusReplicas];
  return paths.flatMap((path) => {
    const { field, value, misfit } = valueAt(object, path);
    if (misfit !== undefined) return [accessorError(field, 0, misfit, 'map[string]interface{}')];
    if (value === undefined) return [];
    if (typeof value !== 'number' || !Number.isInteger(value)) return [accessorError(field, 0, value, 'int64')];
    return value < 0 ? [invalidValue(field, value, 'should be a non-negative integer')] : [];
  });
}

/** Returns the value of a path, or what lies on it and is not an object. A null on the way ends it. */
function valueAt(object: JsonObject, path: FieldPath): { readonly field: string; readonly value?: Json; readonly misfit?: Json } {
  const names = path.map((step) => (step.kind === 'field' ? step.name : ''));
  const field = `.${names.join('.')}`;
  let value: Json | undefined = object;
  for (const name of names) {
    if (value === undefined || value === null) return { field };
    if (!isJsonObject(value)) return { field, misfit: value };
    value = value[name];
  }
  return value === undefined ? { field } : { field, value };
}

/** The error of a value that has another type than the scale reads. */
function accessorError(field: string, zero: '' | 0, found: Json, expected: string): FieldError {
  const [value, type] = found === null ? ['<nil>', '<nil>'] : [goValue(found), goType(found)];
  return invalidValue(field, zero, `${field} accessor error: ${value} is of the type ${type}, expected ${expected}`);
}
