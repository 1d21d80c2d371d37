import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentsOfTestServer } from '../../codegen/openapi-source.js';
import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import { sampleDirectory } from './openapi-documents.js';

/**
 * Writes the sample of OpenAPI documents that unit tests read: some kinds of the API server of the tests with all their types, without
 * descriptions. Run `npx tsx test/openapi-sample/record.ts && npm run format` when test/real-apiserver/go.mod pins another version.
 */
const kinds: Readonly<Record<string, readonly string[]>> = {
  'api/v1': ['ConfigMap', 'Pod', 'Secret', 'Service'],
  'apis/apps/v1': ['Deployment'],
  'apis/networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
};

mkdirSync(sampleDirectory, { recursive: true });
for (const name of readdirSync(sampleDirectory)) rmSync(join(sampleDirectory, name));
for (const { name, document } of await documentsOfTestServer()) {
  const selected = kinds[name];
  if (selected === undefined) continue;
  const text = JSON.stringify(select(document as JsonObject, selected));
  writeFileSync(join(sampleDirectory, `${name.replaceAll('/', '__')}.json`), `${text}\n`);
}

/** The document with these kinds alone: their paths and all their types. */
function select(document: JsonObject, selected: readonly string[]): JsonObject {
  const paths = Object.entries(document.paths as Record<string, JsonObject>).flatMap(([path, item]) => {
    const operations = Object.entries(item).flatMap(([verb, operation]) => {
      const gvk = isJsonObject(operation) ? operation['x-kubernetes-group-version-kind'] : undefined;
      const isSelected = ['patch', 'post'].includes(verb) && isJsonObject(gvk) && selected.includes(gvk.kind as string);
      return isSelected ? [[verb, { 'x-kubernetes-group-version-kind': gvk }]] : [];
    });
    return operations.length > 0 ? [[path, Object.fromEntries(operations)] as const] : [];
  });
  const schemas = (document.components as JsonObject).schemas as Record<string, JsonObject>;
  const roots = Object.entries(schemas).filter(([, { 'x-kubernetes-group-version-kind': gvks }]) =>
    (Array.isArray(gvks) ? gvks : []).some((gvk) => isJsonObject(gvk) && selected.includes(gvk.kind as string)),
  );
  const types = [
    ...typesBelow(
      roots.map(([name]) => name),
      schemas,
    ),
  ].sort();
  return {
    openapi: '3.0.0',
    info: document.info as Json,
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(types.map((name) => [name, withoutDescriptions(schemas[name] as Json)])) },
  };
}

function typesBelow(names: readonly string[], schemas: Readonly<Record<string, Json>>, found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const references = JSON.stringify(schemas[name]).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    typesBelow(
      [...references].map(([, reference]) => reference as string),
      schemas,
      found,
    );
  }
  return found;
}

/** Descriptions are texts; a field named `description` has a schema. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => name !== 'description' || typeof member !== 'string');
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutDescriptions(member as Json)]));
}
