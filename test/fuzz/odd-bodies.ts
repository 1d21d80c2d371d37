import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { FuzzSubject } from './fuzz-subject.js';
import type { Planned } from './planned.js';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Some of the members of an object, at every depth. */
export function partOf(random: Random, value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(() => random.chance(0.7));
  return Object.fromEntries(
    kept.map(([name, member]) => [name, isJsonObject(member) && random.chance(0.7) ? partOf(random, member) : (member as Json)]),
  );
}

/** A body with the annotation that a client-side apply leaves. */
export function withLastApplied(body: JsonObject): JsonObject {
  const metadata = body.metadata as JsonObject;
  const annotations = isJsonObject(metadata.annotations) ? metadata.annotations : {};
  return { ...body, metadata: { ...metadata, annotations: { ...annotations, [lastApplied]: `${JSON.stringify(body)}\n` } } };
}

/** Entries of managedFields that no server wrote. */
export function oddManagedFields(random: Random, { apiVersions }: FuzzSubject): Json {
  const entry = {
    manager: 'own',
    operation: random.pick(['Apply', 'Update']),
    apiVersion: random.pick([...apiVersions, 'v9']),
    time: '2001-01-01T00:00:00Z',
    fieldsType: random.pick(['FieldsV1', 'FieldsV1', 'FieldsV1', 'FieldsV2']),
    fieldsV1: random.pick<Json>([{ 'f:spec': { 'f:title': {} } }, { 'f:data': { 'f:a': {} } }, {}, { odd: 1 }]),
  };
  return random.chance(0.8) ? [entry] : [entry, { ...entry, operation: 'Sometimes' }];
}

/** The body as text with one of its members twice. */
export function repeatedKey(random: Random, step: Planned): Planned {
  const { body, ...rest } = step;
  const text = JSON.stringify(body);
  // Symbols are filled in bodies only.
  if (text.includes('{{') || text.includes('<ip>') || text.includes('<nodePort>')) return step;
  const members = [...text.matchAll(/"([a-zA-Z]+)":("[^"\\]*"|\d+|true|false)(?=[,}])/g)];
  if (members.length === 0) return step;
  const { index, 0: member } = random.pick(members);
  return { ...rest, rawBody: `${text.slice(0, index)}${member},${text.slice(index)}` };
}
