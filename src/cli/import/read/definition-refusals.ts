import { schemaErrorTexts } from '../../../entry/schema-errors.js';
import type { SchemaDiagnostic } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';

/** The number of errors of a version that are listed. */
const shownErrors = 3;

/**
 * Returns the errors by which an API server refuses the schemas of a CRD, such as list map keys that no item has: nobody can apply objects of it, and its
 * author may not know. Rules in CEL are left to the server.
 */
export function definitionRefusals(document: JsonObject): readonly SchemaDiagnostic[] {
  const spec = objectAt(document, 'spec');
  const { kind } = objectAt(spec, 'names');
  const versions = Array.isArray(spec.versions) ? (spec.versions as readonly Json[]).filter(isJsonObject) : [];
  return versions.flatMap((version) => {
    const schema = objectAt(version, 'schema').openAPIV3Schema;
    if (!isJsonObject(schema)) return [];
    const errors = schemaErrorTexts(schema, isJsonObject(objectAt(version, 'subresources').status));
    const more = errors.length > shownErrors ? [`${errors.length - shownErrors} more errors`] : [];
    return [...errors.slice(0, shownErrors), ...more].map((text) => ({
      code: 'definition-refused' as const,
      subject: `${kind} ${spec.group}/${version.name}`,
      path: '.',
      message: `the API server refuses this CustomResourceDefinition: ${text}`,
    }));
  });
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  return isJsonObject(member) ? member : {};
}
