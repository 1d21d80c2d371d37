import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { type FieldError, invalidValue, required } from '../api/field-error.js';
import { isSubdomain, label1035Problem, labelProblem, subdomainProblem, subdomainText } from '../built-in/name-rules.js';
import { traitsOf } from '../built-in/traits.js';
import type { Resource } from '../resources/resource.js';

/** How many layers check the metadata of an update, where not 3. */
const timesChecked: Readonly<Record<string, number>> = { ConfigMap: 4 };

const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const qualifiedText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Rules about metadata. Source: Kubernetes documentation "Object Names and IDs", "Labels and Selectors", "Finalizers", "Owners and Dependents". */
export function metadataErrors(resource: Resource, object: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  const metadata = object.metadata as JsonObject;
  const before = (live?.metadata ?? {}) as JsonObject;
  const general = [
    ...mapErrors('metadata.labels', metadata.labels, true),
    ...mapErrors('metadata.annotations', metadata.annotations, false),
    ...ownerErrors(metadata.ownerReferences),
    ...finalizerErrors(metadata),
    ...managerErrors(metadata.managedFields),
  ];
  if (live === undefined) return [...nameErrors(resource, metadata), ...general];
  // An update is checked by several layers in turn, and each of them reports.
  const immutable = [...addedFinalizers(metadata, before), ...immutableErrors(metadata, before)];
  return [...Array.from({ length: timesChecked[resource.kind] ?? 3 }, () => general).flat(), ...immutable, ...immutable];
}

const nameProblems = { label: labelProblem, label1035: label1035Problem, subdomain: subdomainProblem };

function nameErrors(resource: Resource, metadata: JsonObject): readonly FieldError[] {
  const name = metadata.name;
  if (typeof name !== 'string' || name === '') return [required('metadata.name', 'name or generateName is required')];
  const rule = resource.form.custom ? 'subdomain' : (traitsOf(`${resource.group}/${resource.plural}`).name ?? 'subdomain');
  if (rule === 'path') {
    if (name === '.' || name === '..') return [invalidValue('metadata.name', name, `may not be '${name}'`)];
    const bad = ['/', '%'].find((character) => name.includes(character));
    return bad === undefined ? [] : [invalidValue('metadata.name', name, `may not contain '${bad}'`)];
  }
  return nameProblems[rule]('metadata.name', name);
}

function mapErrors(field: string, map: Json | undefined, values: boolean): FieldError[] {
  if (!isJsonObject(map)) return [];
  return Object.entries(map).flatMap(([key, value]) => {
    const slash = key.indexOf('/');
    const [prefix, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
    const keyOk = values ? key : key.toLowerCase();
    const errors: FieldError[] = [];
    if (prefix === '') errors.push(invalidValue(field, keyOk, 'prefix part must be non-empty'));
    else if (prefix !== undefined && !isSubdomain(values ? prefix : prefix.toLowerCase()))
      errors.push(invalidValue(field, keyOk, `prefix part ${subdomainText}`));
    if (name === '') errors.push(invalidValue(field, keyOk, 'name part must be non-empty'));
    if (name.length > 63) errors.push(invalidValue(field, keyOk, 'name part must be no more than 63 bytes'));
    if (!qualifiedName.test(name)) errors.push(invalidValue(field, keyOk, qualifiedText));
    if (values && typeof value === 'string' && value !== '') {
      if (value.length > 63) errors.push(invalidValue(field, value, 'must be no more than 63 bytes'));
      if (!qualifiedName.test(value)) errors.push(invalidValue(field, value, labelValueText));
    }
    return errors;
  });
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

/** Messages show an owner as the server's own struct. */
function inStructOrder(owner: JsonObject): JsonObject {
  const names = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];
  return Object.fromEntries(names.flatMap((name) => (owner[name] === undefined ? [] : [[name, owner[name]]]))) as JsonObject;
}

function finalizerErrors(metadata: JsonObject): FieldError[] {
  return listOf(metadata.finalizers).flatMap((finalizer) => {
    const text = String(finalizer);
    const name = text.slice(text.indexOf('/') + 1);
    const errors = name === '' ? [invalidValue('metadata.finalizers', text, 'name part must be non-empty')] : [];
    return qualifiedName.test(name) ? [] : [...errors, invalidValue('metadata.finalizers', text, qualifiedText)];
  });
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
