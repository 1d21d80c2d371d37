import { stringifyExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';

/** The expected kind and name of an object in a response; absent members are not checked, because some subresources return other kinds. */
export interface ExpectedObject {
  readonly kind?: string;
  readonly name?: string;
}

/**
 * Describes the defect of a response that should be one object; undefined if it has none. Source: Kubernetes API conventions, "Objects".
 */
export function objectError(body: Json | undefined, expected: ExpectedObject = {}): string | undefined {
  if (!isJsonObject(body)) return `${valueText(body)} where an object was asked for`;
  const { kind } = body;
  if (typeof kind !== 'string' || kind === '') return 'JSON that has no kind';
  if (expected.kind !== undefined && kind !== expected.kind && kind !== 'PartialObjectMetadata') {
    return `an object of kind ${JSON.stringify(kind)} where ${expected.kind} was asked for`;
  }
  const { metadata } = body;
  const error = metadataMemberError(metadata);
  if (error !== undefined) return `an object with ${error}`;
  if (expected.name === undefined || (metadata as JsonObject).name === expected.name) return undefined;
  return `an object named ${valueText((metadata as JsonObject).name)} where ${JSON.stringify(expected.name)} was asked for`;
}

/** Describes the defect of a response that should be a list of objects; undefined if it has none. */
export function listError(body: Json): string | undefined {
  if (!isJsonObject(body)) return `${valueText(body)} where a list was asked for`;
  const { items, metadata } = body;
  if (items !== null && !Array.isArray(items)) return `a list whose items are ${valueText(items)}`;
  if (metadata !== undefined && !isJsonObject(metadata)) return `a list whose metadata is ${valueText(metadata)}`;
  for (const item of (items ?? []) as readonly Json[]) {
    const error = isJsonObject(item) ? metadataMemberError(item.metadata, true) : `the value ${valueText(item)}`;
    if (error !== undefined) return `a list that holds an object with ${error}`;
  }
  return undefined;
}

const stringMembers = ['name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp', 'creationTimestamp'] as const;
const listMembers = ['managedFields', 'ownerReferences', 'finalizers'] as const;
const mapMembers = ['labels', 'annotations'] as const;

/** Describes a metadata member of a wrong type, so that the engine can rely on the types of the members that it reads. */
function metadataMemberError(metadata: Json | undefined, named = false): string | undefined {
  if (!isJsonObject(metadata)) return `the metadata ${valueText(metadata)}`;
  if (named && typeof metadata.name !== 'string') return `the name ${valueText(metadata.name)}`;
  for (const name of stringMembers) if (isPresent(metadata[name]) && typeof metadata[name] !== 'string') return memberText(name, metadata);
  for (const name of listMembers) if (isPresent(metadata[name]) && !Array.isArray(metadata[name])) return memberText(name, metadata);
  for (const name of mapMembers) if (isPresent(metadata[name]) && !isTextMap(metadata[name])) return memberText(name, metadata);
  return undefined;
}

function isPresent(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function isTextMap(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

function memberText(name: string, metadata: JsonObject): string {
  return `the ${name} ${valueText(metadata[name])}`;
}

function valueText(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : stringifyExactJson(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
