import { type FieldSet, fieldSetOfPaths } from '../../../fields/index.js';
import { metadataOf } from '../../../kubernetes/object.js';
import { ignoredFields } from '../../../ownership/index.js';
import type { RootType } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import type { DecodedRequest, RestStrategy } from '../../registry/resource.js';
import { byteMapsOf, withDecodedBytes } from '../convert/byte-maps.js';
import { checkDecodable } from '../convert/check-decodable.js';
import { explicitEmptyMembers } from '../convert/explicit-empty.js';
import { listOf } from '../convert/json-access.js';
import { type CanonicalValues, roundTripGoStruct } from '../convert/round-trip-go-struct.js';
import { sameFieldsOrder } from '../convert/same-fields-order.js';
import { withNullLists } from '../convert/with-null-lists.js';
import { withDefaultedMembers } from '../defaults/defaults.js';
import { validateBuiltIn } from '../validation/validate-built-in.js';
import { warningsOf } from '../validation/warnings.js';
import type { ResourceInfo } from './resource-info.js';
import { prepareService, refuseNamelessService } from './service.js';

const specOnly: FieldSet = fieldSetOfPaths([[{ kind: 'field', name: 'spec' }]]);
const specAndLabels: FieldSet = fieldSetOfPaths([
  [{ kind: 'field', name: 'spec' }],
  [
    { kind: 'field', name: 'metadata' },
    { kind: 'field', name: 'labels' },
  ],
]);

/** Returns the strategy of a built-in kind: objects are Go structs, with defaults and rules from the tables of `built-in`. */
// More than 60 lines: the methods of a strategy share its types and caches.
export function builtInStrategy(roots: ReadonlyMap<string, RootType>, info: ResourceInfo): RestStrategy {
  const at = (apiVersion: string) => roots.get(apiVersion) as RootType;
  const [first] = [...roots.values()] as [RootType];
  const byteMaps = byteMapsOf(first);
  const canonical: CanonicalValues = new WeakMap();
  const valid: CanonicalValues = new WeakMap();
  const zeroValues = new Map<string, JsonObject>();
  const isSecret = first.apiVersion === 'v1' && first.kind === 'Secret';
  const hasStatus = first.subresources?.includes('status') === true;
  const generationFields = (object: JsonObject): readonly (Json | undefined)[] =>
    (info.generation ?? []).map((path) => memberAt(object, path));
  const applyDefaults = (object: JsonObject, apiVersion: string): DecodedRequest => {
    const { managedFields } = metadataOf(object);
    const {
      object: defaulted,
      unknownFields,
      omittedEmpty,
      explicitEmptyLists,
    } = roundTripGoStruct(at(apiVersion), isSecret ? withStringData(object) : object, withDefaultedMembers, canonical);
    const explicitEmpty = explicitEmptyMembers(defaulted, omittedEmpty);
    // An empty list of managedFields is a request to forget them; ObjectMeta would drop it.
    const isReset = Array.isArray(managedFields) && managedFields.length === 0;
    const metadata = isReset ? { ...metadataOf(defaulted), managedFields } : defaulted.metadata;
    return { object: isReset ? { ...defaulted, metadata } : defaulted, explicitEmpty, explicitEmptyLists, unknownFields };
  };
  const withoutStatus = (object: JsonObject): JsonObject => {
    if (!hasStatus) return object;
    const { status: _, ...main } = object;
    return applyDefaults(main, String(object.apiVersion)).object;
  };

  return {
    custom: false,
    zeroValue(apiVersion) {
      const zeroValue = zeroValues.get(apiVersion) ?? roundTripGoStruct(at(apiVersion), { metadata: {} }).object;
      zeroValues.set(apiVersion, zeroValue);
      return zeroValue;
    },
    resetFields(apiVersion, subresource) {
      if (subresource === 'status') return new Map([[apiVersion, info.statusKeepsLabels ? specAndLabels : specOnly]]);
      return ignoredFields(at(apiVersion), subresource);
    },
    decodeRequest(object, apiVersion) {
      checkDecodable(at(apiVersion), object, 'request', canonical);
      return applyDefaults(object, apiVersion);
    },
    default(object, apiVersion, named = object) {
      checkDecodable(at(apiVersion), object, { named }, canonical);
      return applyDefaults(object, apiVersion);
    },
    decode: (stored, apiVersion) =>
      withNullLists(withDecodedBytes(byteMaps, stored.apiVersion === apiVersion ? stored : { ...stored, apiVersion })),
    encode: withNullLists,
    sameManagedFieldsEncoding: sameFieldsOrder,
    prepareForCreate(object, { subresource, dryRun }) {
      const content = prepareServiceAccount(withoutStatus(object));
      if (!dryRun && subresource === undefined) refuseNamelessService(content);
      // The server allocates no addresses for a create through the status subresource.
      const main = prepareNamespace(subresource === 'status' ? content : prepareService(content, undefined), undefined);
      return info.generation === undefined ? main : withGeneration(main, 1);
    },
    prepareForUpdate(object, { live, subresource, explicitEmpty }) {
      if (subresource === 'status') {
        const metadata = info.statusKeepsLabels ? withLabelsOf(live, object) : metadataOf(object);
        return withGeneration({ ...live, metadata, status: object.status }, metadataOf(live).generation);
      }
      const content = prepareServiceAccount(hasStatus ? { ...object, status: live.status } : object);
      const kept = prepareNamespace(prepareService(content, live), live);
      const changed = explicitEmpty.includes('spec') || !jsonEqual(generationFields(kept) as Json, generationFields(live) as Json);
      const generation = metadataOf(live).generation;
      return withGeneration(kept, info.generation === undefined ? generation : (generation ?? 0) + (changed ? 1 : 0));
    },
    validate: (object, update) => validateBuiltIn({ root: first, info, valid }, object, update),
    warnings: (object, update) => (update?.subresource === 'status' ? [] : warningsOf(object, update?.live)),
  };
}

function memberAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

/** Returns the metadata of an object with the labels of another. */
function withLabelsOf(other: JsonObject, object: JsonObject): JsonObject {
  const { labels: _, ...metadata } = metadataOf(object);
  const { labels } = metadataOf(other);
  return labels === undefined ? metadata : { ...metadata, labels };
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
