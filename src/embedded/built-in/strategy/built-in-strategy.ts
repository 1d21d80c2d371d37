import { type FieldSet, fieldSetOfPaths } from '../../../fields/index.js';
import { metadataOf } from '../../../kubernetes/object.js';
import { ignoredFields } from '../../../ownership/index.js';
import type { RootType } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import type { FieldError } from '../../api/field-error.js';
import type { CreateRequest, DecodedRequest, RestStrategy, UpdateContext } from '../../registry/resource.js';
import { byteMapsOf, withDecodedBytes } from '../convert/byte-maps.js';
import { checkDecodable } from '../convert/check-decodable.js';
import { explicitEmptyMembers } from '../convert/explicit-empty.js';
import { listOf } from '../convert/json-access.js';
import { type CanonicalValues, roundTripGoStruct } from '../convert/round-trip-go-struct.js';
import { sameFieldsOrder } from '../convert/same-fields-order.js';
import { withNullLists } from '../convert/with-null-lists.js';
import { withDefaultedMembers, withTemplateLabels } from '../defaults/defaults.js';
import { validateBuiltIn } from '../validation/validate-built-in.js';
import { warningsOf } from '../validation/warnings.js';
import { prepareNewJob } from './job.js';
import { prepareChangedPod, prepareNewPod } from './pod.js';
import type { ResourceInfo } from './resource-info.js';
import { prepareService, refuseNamelessService } from './service.js';

const specOnly = fieldsAt(['spec']);
const whole = 'metadata';

/** The strategy of a built-in kind: objects are Go structs, with defaults and rules from the tables of `built-in`. */
export class BuiltInStrategy implements RestStrategy {
  readonly custom = false;
  readonly encode = withNullLists;
  readonly sameManagedFieldsEncoding = sameFieldsOrder;
  readonly #roots: ReadonlyMap<string, RootType>;
  readonly #info: ResourceInfo;
  readonly #first: RootType;
  readonly #byteMaps: ReturnType<typeof byteMapsOf>;
  readonly #isSecret: boolean;
  readonly #isJob: boolean;
  readonly #hasStatus: boolean;
  readonly #keptByStatus: FieldSet;
  readonly #canonical: CanonicalValues = new WeakMap();
  readonly #valid: CanonicalValues = new WeakMap();
  readonly #zeroValues = new Map<string, JsonObject>();

  /** @param roots the types of the kind by apiVersion. */
  constructor(roots: ReadonlyMap<string, RootType>, info: ResourceInfo) {
    const [first] = [...roots.values()] as [RootType];
    this.#roots = roots;
    this.#info = info;
    this.#first = first;
    this.#byteMaps = byteMapsOf(first);
    this.#isJob = first.apiVersion === 'batch/v1' && first.kind === 'Job';
    this.#isSecret = first.apiVersion === 'v1' && first.kind === 'Secret';
    this.#keptByStatus = info.statusKeeps === undefined ? specOnly : fieldsAt(['spec', ...info.statusKeeps]);
    this.#hasStatus = first.subresources?.includes('status') === true;
  }

  zeroValue(apiVersion: string): JsonObject {
    const zeroValue = this.#zeroValues.get(apiVersion) ?? roundTripGoStruct(this.#typeOf(apiVersion), { metadata: {} }).object;
    this.#zeroValues.set(apiVersion, zeroValue);
    return zeroValue;
  }

  resetFields(apiVersion: string, subresource: string | undefined): ReadonlyMap<string, FieldSet> | undefined {
    if (subresource === 'status') return new Map([[apiVersion, this.#keptByStatus]]);
    return ignoredFields(this.#typeOf(apiVersion), subresource);
  }

  decodeRequest(object: JsonObject, apiVersion: string): DecodedRequest {
    checkDecodable(this.#typeOf(apiVersion), object, 'request', this.#canonical);
    return this.#applyDefaults(object, apiVersion);
  }

  default(object: JsonObject, apiVersion: string, named = object): DecodedRequest {
    checkDecodable(this.#typeOf(apiVersion), object, { named }, this.#canonical);
    return this.#applyDefaults(object, apiVersion);
  }

  decode(stored: JsonObject, apiVersion: string): JsonObject {
    const shown = this.#isJob ? withTemplateLabels(stored) : stored;
    return withNullLists(withDecodedBytes(this.#byteMaps, shown.apiVersion === apiVersion ? shown : { ...shown, apiVersion }));
  }

  prepareForCreate(object: JsonObject, { subresource, dryRun }: CreateRequest): JsonObject {
    const content = prepareNewJob(prepareNewPod(prepareServiceAccount(this.#withoutStatus(object))));
    if (!dryRun && subresource === undefined) refuseNamelessService(content);
    // The server allocates no addresses for a create through the status subresource.
    const main = prepareNamespace(subresource === 'status' ? content : prepareService(content, undefined), undefined);
    return this.#info.generation === undefined ? main : withGeneration(main, 1);
  }

  prepareForUpdate(object: JsonObject, { live, subresource, explicitEmpty }: UpdateContext): JsonObject {
    if (subresource === 'status') {
      const metadata = withMetadataOf(live, metadataOf(object), this.#info.statusKeeps ?? []);
      const written = prepareChangedPod({ ...live, metadata, status: object.status }, live, subresource);
      return withGeneration(written, metadataOf(live).generation);
    }
    const sent = prepareServiceAccount(this.#hasStatus ? { ...object, status: live.status } : object);
    const content = prepareChangedPod(sent, live, subresource);
    const kept = prepareNamespace(prepareService(content, live), live);
    const generation = metadataOf(live).generation;
    if (this.#info.generation === undefined) return withGeneration(kept, generation);
    const changed = explicitEmpty.includes('spec') || !jsonEqual(this.#generationFields(kept), this.#generationFields(live));
    return withGeneration(kept, (generation ?? 0) + (changed ? 1 : 0));
  }

  validate(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
    return validateBuiltIn({ root: this.#first, info: this.#info, valid: this.#valid }, object, update);
  }

  warnings(object: JsonObject, update: UpdateContext | undefined): readonly string[] {
    return update?.subresource === undefined ? warningsOf(object, update?.live) : [];
  }

  #typeOf(apiVersion: string): RootType {
    return this.#roots.get(apiVersion) as RootType;
  }

  #applyDefaults(sent: JsonObject, apiVersion: string): DecodedRequest {
    const { managedFields } = metadataOf(sent);
    const content = this.#isSecret ? withStringData(sent) : sent;
    const defaulted = roundTripGoStruct(this.#typeOf(apiVersion), content, withDefaultedMembers, this.#canonical);
    const { object, unknownFields, omittedEmpty, explicitEmptyLists } = defaulted;
    const explicitEmpty = explicitEmptyMembers(object, omittedEmpty);
    // An empty list of managedFields is a request to forget them; ObjectMeta would drop it.
    const isReset = Array.isArray(managedFields) && managedFields.length === 0;
    const metadata = isReset ? { ...metadataOf(object), managedFields } : object.metadata;
    return { object: isReset ? { ...object, metadata } : object, explicitEmpty, explicitEmptyLists, unknownFields };
  }

  #withoutStatus(object: JsonObject): JsonObject {
    if (!this.#hasStatus) return object;
    const { status: _, ...main } = object;
    return this.#applyDefaults(main, String(object.apiVersion)).object;
  }

  /** Returns the values whose change increments the generation. */
  #generationFields(object: JsonObject): Json {
    return (this.#info.generation ?? []).map((path) => memberAt(object, path)) as Json;
  }
}

function fieldsAt(paths: readonly string[]): FieldSet {
  return fieldSetOfPaths(paths.map((path) => path.split('.').map((name) => ({ kind: 'field', name }) as const)));
}

function memberAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

/** Returns metadata in which some members, or all but the owners of fields, are those of the live object. */
function withMetadataOf(live: JsonObject, metadata: JsonObject, paths: readonly string[]): JsonObject {
  const before = metadataOf(live);
  if (paths.includes(whole)) return withMember(before, 'managedFields', metadata.managedFields);
  return paths.map((path) => path.slice(whole.length + 1)).reduce((now, name) => withMember(now, name, before[name]), metadata);
}

function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const { [name]: _, ...others } = object;
  return value === undefined ? others : { ...others, [name]: value };
}

function withGeneration(object: JsonObject, generation: number | undefined): JsonObject {
  const { generation: _, ...metadata } = metadataOf(object);
  return { ...object, metadata: generation === undefined ? metadata : { ...metadata, generation } };
}

/** Returns a Secret with its `stringData` encoded into `data`. Source: Kubernetes API reference, Secret. */
export function withStringData(object: JsonObject): JsonObject {
  if (!isJsonObject(object.stringData)) return object;
  const { stringData, ...secret } = object;
  const encoded = Object.entries(stringData).map(([name, text]) => [name, Buffer.from(String(text ?? '')).toString('base64')] as const);
  if (encoded.length === 0) return secret;
  return { ...secret, data: { ...(isJsonObject(secret.data) ? secret.data : {}), ...Object.fromEntries(encoded) } };
}

/** Reduces the secrets of a ServiceAccount to their names, after ownership was computed. Source: observed. */
export function prepareServiceAccount(object: JsonObject): JsonObject {
  if (object.kind !== 'ServiceAccount' || object.apiVersion !== 'v1' || !Array.isArray(object.secrets)) return object;
  const named = listOf(object.secrets).map(({ name }) => (name === undefined ? {} : { name }));
  return { ...object, secrets: named as Json };
}

const namespaceFinalizer = 'kubernetes';

/**
 * Adds the server's finalizer to the spec of a new Namespace, and keeps the spec on update.
 * Source: Kubernetes documentation "Namespaces"; responses of a server.
 */
export function prepareNamespace(object: JsonObject, live: JsonObject | undefined): JsonObject {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return object;
  if (live !== undefined) return { ...object, spec: live.spec };
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const declared = Array.isArray(spec.finalizers) ? (spec.finalizers as readonly Json[]) : [];
  const finalizers = declared.includes(namespaceFinalizer) ? declared : [...declared, namespaceFinalizer];
  return { ...object, spec: { ...spec, finalizers: finalizers as Json } };
}
