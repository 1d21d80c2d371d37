import { type FieldSet, fieldSetOfPaths } from '../../../fields/index.js';
import { metadataOf } from '../../../fields/object.js';
import { ignoredFields } from '../../../ownership/index.js';
import type { RootType } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import type { FieldError } from '../../api/field-error.js';
import { listOf, memberAt } from '../../api/json-access.js';
import type { CreateRequest, DecodedRequest, RestStrategy, UpdateContext, UpdateRequest } from '../../registry/resource.js';
import type { ResourceInfo } from '../../registry/resource-info.js';
import { byteMapsOf, withDecodedBytes } from '../convert/byte-maps.js';
import { checkDecodable } from '../convert/check-decodable.js';
import type { Conversion } from '../convert/conversions.js';
import { explicitEmptyMembers } from '../convert/explicit-empty.js';
import { type CanonicalValues, roundTripGoStruct } from '../convert/round-trip-go-struct.js';
import { sameFieldsOrder } from '../convert/same-fields-order.js';
import { rootInStructOrder } from '../convert/struct-order.js';
import { withNullLists } from '../convert/with-null-lists.js';
import { withDefaultedMembers, withTemplateLabels } from '../defaults/defaults.js';
import { validateBuiltIn } from '../validation/validate-built-in.js';
import { statusWarningsOf, warningsOf } from '../validation/warnings.js';
import { prepareNewClaim } from './claim.js';
import { withControllerLabels } from './controller-labels.js';
import { prepareDaemonSet, withTemplateGeneration } from './daemon-set.js';
import { prepareDefinition } from './definition.js';
import { withoutGatedFields } from './gated-fields.js';
import { prepareNewJob } from './job.js';
import { prepareChangedPod, prepareNewPod } from './pod.js';
import { withServerTimes } from './server-times.js';
import { prepareService, refuseNamelessService } from './service.js';
import { preparedSigningRequest, signingRequestErrors } from './signing-request.js';

const specOnly = fieldsAt(['spec']);
const whole = 'metadata';

/** The strategy of a built-in kind: objects are Go structs, with defaults and rules from the tables of `built-in`. */
export class BuiltInStrategy implements RestStrategy {
  readonly custom = false;
  readonly sameManagedFieldsEncoding = sameFieldsOrder;
  readonly #roots: ReadonlyMap<string, RootType>;
  readonly #info: ResourceInfo;
  readonly #first: RootType;
  readonly #byteMaps: ReturnType<typeof byteMapsOf>;
  readonly #isSecret: boolean;
  readonly #isJob: boolean;
  readonly #hasStatus: boolean;
  readonly #isSigningRequest: boolean;
  readonly #keptByStatus: FieldSet;
  readonly #canonical: CanonicalValues = new WeakMap();
  readonly #valid: CanonicalValues = new WeakMap();
  readonly #ordered = new WeakMap<JsonObject, JsonObject>();
  readonly #zeroValues = new Map<string, JsonObject>();
  readonly #convert: Conversion | undefined;

  /**
   * @param roots the types of the kind by apiVersion, the storage version first
   * @param convert converts between them, if there are several
   */
  constructor(roots: ReadonlyMap<string, RootType>, info: ResourceInfo, convert?: Conversion) {
    const [first] = [...roots.values()] as [RootType];
    this.#roots = roots;
    this.#info = info;
    this.#convert = convert;
    this.#first = first;
    this.#byteMaps = byteMapsOf(first);
    this.#isJob = first.apiVersion === 'batch/v1' && first.kind === 'Job';
    this.#isSecret = first.apiVersion === 'v1' && first.kind === 'Secret';
    this.#keptByStatus = info.statusKeeps === undefined ? specOnly : fieldsAt(['spec', ...info.statusKeeps]);
    this.#isSigningRequest = first.kind === 'CertificateSigningRequest';
    this.#hasStatus = first.subresources?.includes('status') === true;
  }

  zeroValue(apiVersion: string): JsonObject {
    const zeroValue = this.#zeroValues.get(apiVersion) ?? roundTripGoStruct(this.#typeOf(apiVersion), { metadata: {} }).object;
    this.#zeroValues.set(apiVersion, zeroValue);
    return zeroValue;
  }

  resetFields(apiVersion: string, subresource: string | undefined): ReadonlyMap<string, FieldSet> | undefined {
    const ignored = this.#info.ignored?.[subresource ?? ''];
    if (ignored !== undefined) return new Map([[apiVersion, fieldsAt(ignored)]]);
    if (subresource === 'status') return new Map([[apiVersion, this.#keptByStatus]]);
    const part = subresource === undefined ? undefined : this.#info.parts?.[subresource];
    return ignoredFields(this.#typeOf(apiVersion), part === undefined ? subresource : undefined);
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
    return this.#inOrder(withNullLists(withDecodedBytes(this.#byteMaps, this.#inVersion(shown, apiVersion))));
  }

  encode(object: JsonObject): JsonObject {
    return this.#inOrder(withNullLists(this.#inVersion(object, this.#first.apiVersion)));
  }

  prepareForCreate(object: JsonObject, { subresource, dryRun, explicitEmpty }: CreateRequest): JsonObject {
    const sent = prepareDefinition(withoutGatedFields(this.#withoutStatus(object)));
    const content = prepareDaemonSet(prepareNewJob(prepareNewPod(prepareServiceAccount(prepareNewClaim(sent))), explicitEmpty), undefined);
    if (!dryRun && subresource === undefined) refuseNamelessService(content);
    // The server allocates no addresses for a create through the status subresource.
    const main = withServerTimes(prepareNamespace(subresource === 'status' ? content : prepareService(content, undefined), undefined));
    return this.#info.generation === undefined ? main : withGeneration(main, 1);
  }

  prepareForUpdate(sentObject: JsonObject, update: UpdateRequest): JsonObject {
    const { live, subresource, explicitEmpty } = update;
    const object = withServerTimes(withoutGatedFields(sentObject, live), update);
    if (this.#isSigningRequest) return preparedSigningRequest(object, live, subresource, update.now);
    if (subresource === 'status') {
      const metadata = withMetadataOf(live, metadataOf(object), this.#info.statusKeeps ?? []);
      const written = prepareDaemonSet(
        prepareChangedPod(withMember({ ...live, metadata }, 'status', object.status), live, subresource),
        live,
      );
      return withGeneration(written, metadataOf(live).generation);
    }
    const part = subresource === undefined ? undefined : this.#info.parts?.[subresource];
    const sent = prepareServiceAccount(prepareDefinition(this.#hasStatus ? withMember(object, 'status', live.status) : object));
    const content = prepareDaemonSet(prepareChangedPod(sent, live, subresource), live);
    const kept = part === undefined ? prepareNamespace(prepareService(content, live), live) : withPart(live, object, part.path);
    const generation = metadataOf(live).generation;
    if (this.#info.generation === undefined) return withGeneration(kept, generation);
    const changed = explicitEmpty.includes('spec') || !jsonEqual(this.#generationFields(kept), this.#generationFields(live));
    return withGeneration(kept, (generation ?? 0) + (changed ? 1 : 0));
  }

  validate(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
    const part = update?.subresource === undefined ? undefined : this.#info.parts?.[update.subresource];
    const own = this.#isSigningRequest && update !== undefined ? signingRequestErrors(object, update.live, update.subresource) : [];
    if (part !== undefined) return own;
    // As there, the rules are those of one version, and the errors name its fields.
    const stored = this.#inStorageVersion(object);
    const live = update === undefined ? undefined : { ...update, live: this.#inStorageVersion(update.live) };
    const rules = { root: this.#first, info: this.#info, valid: this.#valid, apiVersion: String(object.apiVersion) };
    return [...own, ...validateBuiltIn(rules, stored, live)];
  }

  warnings(object: JsonObject, update: UpdateContext | undefined): readonly string[] {
    if (update?.subresource === 'status') return statusWarningsOf(object);
    // A write of the scale is one of the object.
    return update?.subresource === undefined || update.subresource === 'scale' ? warningsOf(object, update?.live) : [];
  }

  #inOrder(object: JsonObject): JsonObject {
    const known = this.#ordered.get(object);
    if (known !== undefined) return known;
    const { type } = this.#typeOf(String(object.apiVersion));
    const ordered = 'name' in type ? rootInStructOrder(type.name, object) : object;
    this.#ordered.set(object, ordered);
    return ordered;
  }

  #typeOf(apiVersion: string): RootType {
    return this.#roots.get(apiVersion) as RootType;
  }

  #inStorageVersion(object: JsonObject): JsonObject {
    return this.#convert === undefined ? object : this.#inVersion(object, this.#first.apiVersion);
  }

  #inVersion(object: JsonObject, apiVersion: string): JsonObject {
    if (object.apiVersion === apiVersion) return object;
    return this.#convert?.(object, apiVersion) ?? { ...object, apiVersion };
  }

  #applyDefaults(sent: JsonObject, apiVersion: string): DecodedRequest {
    const { managedFields } = metadataOf(sent);
    const content = this.#isSecret ? withStringData(sent) : sent;
    const defaulted = roundTripGoStruct(this.#typeOf(apiVersion), content, withDefaultedMembers, this.#canonical);
    const { unknownFields, omittedEmpty, explicitEmptyLists } = defaulted;
    const object = withTemplateGeneration(withControllerLabels(this.#throughStorageVersion(defaulted.object, apiVersion)));
    const explicitEmpty = explicitEmptyMembers(object, omittedEmpty);
    // An empty list of managedFields is a request to forget them; ObjectMeta would drop it.
    const isReset = Array.isArray(managedFields) && managedFields.length === 0;
    const metadata = isReset ? { ...metadataOf(object), managedFields } : object.metadata;
    return { object: isReset ? { ...object, metadata } : object, explicitEmpty, explicitEmptyLists, unknownFields };
  }

  /** Adds the defaults of the storage version, and removes what its conversion loses. */
  #throughStorageVersion(object: JsonObject, apiVersion: string): JsonObject {
    const { apiVersion: storage } = this.#first;
    if (this.#convert === undefined || apiVersion === storage) return object;
    const stored = roundTripGoStruct(this.#first, this.#inVersion({ ...object, apiVersion }, storage), withDefaultedMembers).object;
    return this.#inVersion({ ...stored, apiVersion: storage }, apiVersion);
  }

  #withoutStatus(object: JsonObject): JsonObject {
    if (!this.#hasStatus || this.#info.createsStatus === true) return object;
    const { status: _, ...main } = object;
    return this.#applyDefaults(main, String(object.apiVersion)).object;
  }

  /** Returns the values whose change increments the generation. */
  #generationFields(object: JsonObject): Json {
    return (this.#info.generation ?? []).map((path) => memberAt(object, path)) as Json;
  }
}

/** Returns an object with the metadata and one member of another. */
function withPart(live: JsonObject, object: JsonObject, path: string): JsonObject {
  const [parent = '', name = ''] = path.split('.');
  const value = memberAt(object, path);
  const { [name]: _, ...rest } = isJsonObject(live[parent]) ? live[parent] : {};
  return { ...live, metadata: object.metadata, [parent]: value === undefined ? rest : { ...rest, [name]: value } };
}

function fieldsAt(paths: readonly string[]): FieldSet {
  return fieldSetOfPaths(paths.map((path) => path.split('.').map((name) => ({ kind: 'field', name }) as const)));
}

/** Returns metadata in which some members, or all but the owners of fields and generateName, are those of the live object. */
function withMetadataOf(live: JsonObject, metadata: JsonObject, paths: readonly string[]): JsonObject {
  const before = metadataOf(live);
  if (paths.includes(whole)) {
    const kept = withMember(before, 'managedFields', metadata.managedFields);
    return paths.includes(`${whole}.generateName`) ? kept : withMember(kept, 'generateName', metadata.generateName);
  }
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
