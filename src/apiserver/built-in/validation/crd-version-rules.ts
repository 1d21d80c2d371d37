import { metadataOf, rawConditionsOf } from '../../../fields/object.js';
import { composedName } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, invalidValue, required } from '../../api/field-error.js';
import { listOf, memberAt, structOf, valuesOf } from '../../api/json-access.js';
import { label1035Texts, subdomainTexts } from '../../api/name-rules.js';

/** Validates the name and group of a CustomResourceDefinition. Source: Kubernetes API reference, CustomResourceDefinition; messages as observed. */
export function crdNameErrors({ metadata, spec }: JsonObject): readonly FieldError[] {
  const { name, generateName = '' } = metadataOf({ metadata: metadata as Json });
  const wanted = composedName('apiextensions.k8s.io', 'CustomResourceDefinition', spec);
  const misnamed = (field: string, value: Json | undefined) =>
    value === wanted ? [] : [invalidValue(field, value, 'must be spec.names.plural+"."+spec.group')];
  return [...(generateName === '' ? [] : misnamed('metadata.generateName', generateName)), ...misnamed('metadata.name', name)];
}

/** Validates the group, the names and what cannot change. Source: as above. */
export function crdSpecErrors(spec: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  const { group, names, preserveUnknownFields } = spec;
  const groupTexts = subdomainTexts(String(group));
  const detail =
    groupTexts.length > 0 ? groupTexts.join(',') : String(group).includes('.') ? '' : 'should be a domain with at least one dot';
  const preserves = preserveUnknownFields === true && structOf(live?.spec).preserveUnknownFields !== true;
  const preserveText = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  const missing = ['group', 'scope', 'names.plural', 'names.singular', 'names.kind', 'names.listKind'].filter((path) => {
    // The server fills in these two from the kind.
    const isFilled = path === 'names.singular' || path === 'names.listKind';
    return !memberAt(spec, path) && !(isFilled && structOf(names).kind);
  });
  return [
    ...missing.map((path) => required(`spec.${path}`)),
    ...(group && detail !== '' ? [invalidValue('spec.group', group, detail)] : []),
    ...nameTextErrors(structOf(names), 'spec.names'),
    ...(live === undefined ? [] : changeErrors(spec, live)),
    ...(preserves ? [invalidValue('spec.preserveUnknownFields', true, preserveText)] : []),
    ...(preserves && listOf(spec.versions).some(({ schema }) => hasDefault(structOf(schema).openAPIV3Schema))
      ? [invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')]
      : []),
  ];
}

/** Returns true for a schema with a default, or with one inside of it. */
function hasDefault(schema: Json | undefined): boolean {
  const { default: value = null, properties, items, additionalProperties } = structOf(schema);
  return (
    value !== null ||
    [items, additionalProperties, ...Object.values(structOf(properties))].some((each) => isJsonObject(each) && hasDefault(each))
  );
}

/** Validates the names of a definition, or those that are accepted. */
export function nameTextErrors(names: JsonObject, path: string): readonly FieldError[] {
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  const wrong = (name: string, value: Json | undefined) => {
    const texts = value ? label1035Texts(String(value)) : [];
    return texts.length === 0 ? [] : [invalidValue(`${path}.${name}`, value, texts.join(','))];
  };
  const wrongKind = (name: string, value: Json | undefined) => {
    const texts = value ? label1035Texts(String(value).toLowerCase()) : [];
    const detail = `may have mixed case, but should otherwise match: ${texts.join(',')}`;
    return texts.length === 0 ? [] : [invalidValue(`${path}.${name}`, value, detail)];
  };
  return [
    ...wrong('plural', plural),
    ...wrong('singular', singular),
    ...wrongKind('kind', kind),
    ...wrongKind('listKind', listKind),
    ...listOf(shortNames).flatMap((name, index) => wrong(`shortNames[${index}]`, name)),
    ...(kind && kind === listKind ? [invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same')] : []),
    ...listOf(categories).flatMap((name, index) => wrong(`categories[${index}]`, name)),
  ];
}

function changeErrors(spec: JsonObject, live: JsonObject): readonly FieldError[] {
  const old = structOf(live.spec);
  const isEstablished = rawConditionsOf(live).some(({ type, status }) => type === 'Established' && status === 'True');
  const always = ['group', 'names.plural'];
  const fixed = isEstablished ? ['scope', 'names.kind', ...always] : always;
  return fixed
    .filter((path) => memberAt(spec, path) !== memberAt(old, path))
    .map((path) => invalidValue(`spec.${path}`, memberAt(spec, path), 'field is immutable'));
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
  if (isNew) return [...errors, ...newStoredVersionErrors(stored)];
  const { storedVersions } = structOf(status);
  return [...errors, ...storedVersionErrors(stored, storedVersions), ...removedVersionErrors(names, storedVersions)];
}

/** A version stays while objects may be stored in it. Source: Kubernetes documentation "Versions in CustomResourceDefinitions". */
function removedVersionErrors(names: readonly (Json | undefined)[], storedVersions: Json | undefined): readonly FieldError[] {
  return valuesOf(storedVersions).flatMap((version, index) => {
    if (names.includes(version)) return [];
    const name = String(version);
    const detail =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ` +
      `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [invalidValue(`status.storedVersions[${index}]`, version, detail)];
  });
}

/** A new definition gets its first storage version as the stored one. */
function newStoredVersionErrors(stored: readonly JsonObject[]): readonly FieldError[] {
  const [first, last] = [stored[0]?.name, stored.at(-1)?.name];
  return storedVersionErrors(stored, first === undefined ? undefined : [first], last);
}

function storedVersionErrors(
  stored: readonly JsonObject[],
  storedVersions: Json | undefined,
  storage = stored.at(-1)?.name,
): readonly FieldError[] {
  const field = 'status.storedVersions';
  const found = valuesOf(storedVersions);
  if (found.length === 0) return stored.length === 0 ? [invalidValue(field, null, 'must have at least one stored version')] : [];
  // A version that is listed twice is looked for twice, and stands in the status once.
  const isTwice = stored.filter(({ name }) => name === storage).length > 1;
  const isMissing = storage !== undefined && stored.length > 1 && (isTwice || !found.includes(storage));
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
