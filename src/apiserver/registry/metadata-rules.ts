import { metadataOf } from '../../fields/object.js';
import { type NameFormat, nameFormatErrors, nameFormatOf, startOfName } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { labelValueErrors, qualifiedNameErrors } from '../../util/name-text.js';
import { type FieldError, invalidValue, required } from '../api/field-error.js';
import { labelErrors, pathNameErrors } from '../api/name-rules.js';
import { rememberingValid } from '../api/remembering-valid.js';
import type { Resource } from './resource.js';
import { type ResourceInfo, resourceInfo } from './resource-info.js';

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/**
 * Validates metadata.
 * Source: Kubernetes documentation "Object Names and IDs", "Labels and Selectors", "Finalizers", "Owners and Dependents".
 */
export function metadataErrors(
  resource: Resource,
  object: JsonObject,
  live: JsonObject | undefined,
  subresource?: string,
): readonly FieldError[] {
  const metadata = metadataOf(object);
  const before = metadataOf(live);
  const general = [
    ...mapErrors('metadata.labels', metadata.labels, true),
    ...mapErrors('metadata.annotations', metadata.annotations, false),
    ...annotationSizeErrors(metadata.annotations),
    ...ownerErrors(metadata.ownerReferences),
    ...managerErrors(metadata.managedFields),
  ];
  const finalizers = finalizerErrors(resource, metadata);
  if (live === undefined) return [...nameErrors(resource, metadata), ...general, ...finalizers];
  // Several layers of the server validate an update, and each reports its errors.
  const immutable = [...addedFinalizers(metadata, before), ...immutableErrors(metadata, before)];
  const once = [...general, ...finalizers];
  const [ofObject, ofStatus] = resourceInfoFor(resource).metadataReports ?? [3, 3];
  const reports = subresource === 'status' ? ofStatus : ofObject;
  const [first, more, last] = [reports > 2 ? general : [], reports > 3 ? once : [], reports > 2 ? immutable : []];
  return [...general, ...first, ...once, ...more, ...immutable, ...last];
}

/** Validates the metadata of a resource inside of another; `field` is the path. It needs no name. */
export function embeddedMetadataErrors(metadata: JsonObject, field: string): readonly FieldError[] {
  const { name, generateName, namespace } = metadata;
  const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';
  const errors = [
    ...(isText(generateName) ? prefixErrors(generateName, 'path') : []),
    ...(isText(name) ? pathNameErrors('metadata.name', name) : []),
    ...(isText(namespace) ? labelErrors('metadata.namespace', namespace) : []),
    ...mapErrors('metadata.labels', metadata.labels, true),
    ...mapErrors('metadata.annotations', metadata.annotations, false),
    ...annotationSizeErrors(metadata.annotations),
    ...ownerErrors(metadata.ownerReferences),
    ...managerErrors(metadata.managedFields),
  ];
  return errors.map((error) => ({ ...error, field: error.field.replace(/^metadata/, field) }));
}

function resourceInfoFor({ strategy, group, plural }: Resource): ResourceInfo {
  return strategy.custom ? {} : resourceInfo(`${group}/${plural}`);
}

function nameErrors(resource: Resource, metadata: JsonObject): readonly FieldError[] {
  const { name, generateName } = metadata;
  const format = resource.strategy.custom ? 'subdomain' : nameFormatOf(resource.group, resource.kind);
  const errorsOf = (field: string, text: string) => nameFormatErrors(format, text).map((detail) => invalidValue(field, text, detail));
  return [
    ...(typeof generateName === 'string' && generateName !== '' ? prefixErrors(generateName, format) : []),
    ...(typeof name === 'string' && name !== ''
      ? errorsOf('metadata.name', name)
      : [required('metadata.name', 'name or generateName is required')]),
  ];
}

/** Validates the start of a generated name, which may end in a hyphen. */
function prefixErrors(prefix: string, format: NameFormat): readonly FieldError[] {
  const details = nameFormatErrors(format, startOfName(format, prefix));
  return details.map((detail) => invalidValue('metadata.generateName', prefix, detail));
}

/** Validates labels, or annotations, whose values may be any text. */
export function mapErrors(field: string, map: Json | undefined, values: boolean): readonly FieldError[] {
  if (!isJsonObject(map)) return [];
  return values ? labelsErrors(map, field) : annotationsErrors(map, field);
}

const labelsErrors = rememberingValid((map: JsonObject, field) => foundInMap(field, map, true));
const annotationsErrors = rememberingValid((map: JsonObject, field) => foundInMap(field, map, false));

function foundInMap(field: string, map: JsonObject, values: boolean): readonly FieldError[] {
  return Object.entries(map).flatMap(([key, value]) => {
    const name = values ? key : key.toLowerCase(); // annotation keys are validated in lower case
    const errors = qualifiedNameErrors(name).map((detail) => invalidValue(field, key, detail));
    if (values && typeof value === 'string') errors.push(...labelValueErrors(value).map((detail) => invalidValue(field, value, detail)));
    return errors;
  });
}

/** Source: Kubernetes documentation "Annotations"; the limit as observed. */
const maxAnnotationBytes = 256 * 1024;

export function annotationSizeErrors(annotations: Json | undefined, field = 'metadata.annotations'): FieldError[] {
  if (!isJsonObject(annotations)) return [];
  let size = 0;
  for (const key of Object.keys(annotations)) size += key.length + String(annotations[key]).length;
  // No character has more bytes than three.
  if (size * 3 <= maxAnnotationBytes) return [];
  size = 0;
  for (const [key, value] of Object.entries(annotations)) size += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  const detail = `may not be more than ${maxAnnotationBytes} bytes`;
  return size > maxAnnotationBytes ? [{ type: 'tooLong', field, detail }] : [];
}

function ownerErrors(owners: Json | undefined): FieldError[] {
  if (!Array.isArray(owners)) return [];
  const controllers = (owners as JsonObject[]).filter((owner) => owner.controller === true);
  const errors = (owners as JsonObject[]).flatMap((owner) => {
    const field = 'metadata.ownerReferences';
    return [
      ...(!owner.apiVersion ? [invalidValue(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty')] : []),
      ...(!owner.kind ? [invalidValue(`${field}.kind`, '', 'must not be empty')] : []),
      ...(!owner.name ? [invalidValue(`${field}.name`, '', 'must not be empty')] : []),
      ...(!owner.uid ? [invalidValue(`${field}.uid`, '', 'must not be empty')] : []),
    ];
  });
  if (controllers.length < 2) return errors;
  const [first, second] = controllers as [JsonObject, JsonObject];
  const text = `Only one reference can have Controller set to true. Found "true" in references for ${String(first.kind)}/${String(first.name)} and ${String(second.kind)}/${String(second.name)}`;
  return [...errors, invalidValue('metadata.ownerReferences', (owners as JsonObject[]).map(inStructOrder), text)];
}

/** Returns an owner with its fields in the order of the Go struct, as messages show it. */
function inStructOrder(owner: JsonObject): JsonObject {
  const names = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];
  return Object.fromEntries(names.flatMap((name) => (owner[name] === undefined ? [] : [[name, owner[name]]]))) as JsonObject;
}

function finalizerErrors(resource: Resource, metadata: JsonObject): FieldError[] {
  const field = 'metadata.finalizers';
  const finalizers = listOf(metadata.finalizers).map(String);
  const errors = finalizers.flatMap((text) => qualifiedNameErrors(text).map((reason) => invalidValue(field, text, reason)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  if (resource.strategy.custom || resourceInfoFor(resource).plainFinalizers === true) return errors;
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return [...errors, ...finalizers.flatMap((text, index) => (isQualified(text) ? [] : [invalidValue(`${field}[${index}]`, text, detail)]))];
}

/** Returns warnings about the metadata of a custom object. */
export function metadataWarnings(resource: Resource, object: JsonObject, live: JsonObject | undefined): readonly string[] {
  if (!resource.strategy.custom) return [];
  const known = listOf(metadataOf(live).finalizers);
  const added = new Set(listOf(metadataOf(object).finalizers).filter((text) => !known.includes(text)));
  return [...added]
    .map(String)
    .filter((text) => !isQualified(text))
    .toSorted()
    .map(
      (text) =>
        `metadata.finalizers: ${JSON.stringify(text)}: prefer a domain-qualified finalizer name ${text.includes('.') ? 'including a path (/) ' : ''}to avoid accidental conflicts with other finalizer writers`,
    );
}

function isQualified(finalizer: string): boolean {
  return finalizer.includes('/') || standardFinalizers.has(finalizer);
}

function addedFinalizers(metadata: JsonObject, before: JsonObject): FieldError[] {
  if (before.deletionTimestamp === undefined) return [];
  const known = listOf(before.finalizers);
  const added = listOf(metadata.finalizers).filter((finalizer) => !known.includes(finalizer));
  if (added.length === 0) return [];
  const names = added
    .map((each) => JSON.stringify(each))
    .toSorted()
    .join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
  return [{ type: 'forbidden', field: 'metadata.finalizers', detail }];
}

function managerErrors(entries: Json | undefined): FieldError[] {
  return listOf(entries).flatMap((entry, index): FieldError[] => {
    const manager = isJsonObject(entry) ? String(entry.manager ?? '') : '';
    if (Buffer.byteLength(manager) <= 128) return [];
    return [{ type: 'tooLong', field: `metadata.managedFields[${index}].manager`, detail: 'may not be more than 128 bytes' }];
  });
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function immutableErrors(metadata: JsonObject, before: JsonObject): FieldError[] {
  const names = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'];
  return names
    .filter((name) => !jsonEqual(metadata[name] ?? null, before[name] ?? null))
    .map((name) => invalidValue(`metadata.${name}`, metadata[name] ?? null, 'field is immutable'));
}
