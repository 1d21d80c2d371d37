import { metadataOf } from '../../../kubernetes/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { type FieldError, invalidValue } from '../../api/field-error.js';
import { listOf, structOf } from '../convert/json-access.js';

/** Validates the name and group of a CustomResourceDefinition. Source: Kubernetes API reference, CustomResourceDefinition; messages as observed. */
export function crdNameErrors({ metadata, spec }: JsonObject): readonly FieldError[] {
  const { group, names } = structOf(spec);
  const { name, generateName = '' } = metadataOf({ metadata: metadata as Json });
  const wanted = `${String(structOf(names).plural)}.${String(group)}`;
  const misnamed = (field: string, value: Json | undefined) =>
    value === wanted ? [] : [invalidValue(field, value, 'must be spec.names.plural+"."+spec.group')];
  return [
    ...(generateName === '' ? [] : misnamed('metadata.generateName', generateName)),
    ...misnamed('metadata.name', name),
    ...(String(group).includes('.') ? [] : [invalidValue('spec.group', group as Json, 'should be a domain with at least one dot')]),
  ];
}

/** Validates that versions have names of their own and that one of them is stored. Source: Kubernetes API reference; messages as observed. */
export function crdVersionErrors({ spec, status }: JsonObject, isNew: boolean): readonly FieldError[] {
  const versions = listOf(structOf(spec).versions);
  const stored = versions.filter(({ storage }) => storage === true);
  const names = versions.map(({ name }) => name);
  const details = [
    ...(new Set(names).size < names.length ? ['must contain unique version names'] : []),
    ...(stored.length === 1 ? [] : ['must have exactly one version marked as storage version']),
  ];
  const errors = details.map((detail) => invalidValue('spec.versions', versionsShown(versions), detail));
  return isNew ? [...errors, ...newStoredVersionErrors(stored)] : [...errors, ...storedVersionErrors(stored, structOf(status))];
}

/** A new definition gets its first storage version as the stored one. */
function newStoredVersionErrors(stored: readonly JsonObject[]): readonly FieldError[] {
  const [first, last] = [stored[0]?.name, stored.at(-1)?.name];
  return storedVersionErrors(stored, first === undefined ? {} : { storedVersions: [first] }, last);
}

function storedVersionErrors(
  stored: readonly JsonObject[],
  { storedVersions }: JsonObject,
  storage = stored.at(-1)?.name,
): readonly FieldError[] {
  const field = 'status.storedVersions';
  const found = Array.isArray(storedVersions) ? (storedVersions as readonly Json[]) : [];
  if (found.length === 0) return stored.length === 0 ? [invalidValue(field, null, 'must have at least one stored version')] : [];
  const isMissing = storage !== undefined && stored.length > 1 && !found.includes(storage);
  return isMissing ? [invalidValue(field, found as Json, `must have the storage version ${String(storage)}`)] : [];
}

/** Returns versions as messages show them: the members of the Go structs, of a schema that all share nothing. */
function versionsShown(versions: readonly JsonObject[]): Json {
  return versions.map(({ name, served, storage, deprecated, deprecationWarning }) => ({
    Name: name ?? '',
    Served: served ?? false,
    Storage: storage ?? false,
    Deprecated: deprecated ?? false,
    DeprecationWarning: deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  })) as unknown as Json;
}
