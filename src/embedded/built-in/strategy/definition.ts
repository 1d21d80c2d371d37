import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { embeddedTypeErrors } from '../../custom/coerce.js';
import { withTypedEmbedded } from '../../custom/object-meta.js';
import { isEmbedded, type StructuralSchema } from '../../custom/structural-schema.js';
import { listOf, structOf } from '../convert/json-access.js';

/**
 * Returns a CustomResourceDefinition whose defaults have the metadata of embedded resources as ObjectMeta decodes it, and any other object
 * unchanged. Defaults inside of such metadata, and those of the values of a map, stay as they are. Source: observed.
 */
export function prepareDefinition(object: JsonObject): JsonObject {
  if (object.kind !== 'CustomResourceDefinition') return object;
  const spec = structOf(object.spec);
  const versions = listOf(spec.versions).map((version) => {
    const { schema } = structOf(version);
    if (!isJsonObject(schema) || !isJsonObject(schema.openAPIV3Schema)) return version;
    return { ...structOf(version), schema: { ...schema, openAPIV3Schema: withTypedDefaults(schema.openAPIV3Schema, true) } };
  });
  return { ...object, spec: { ...spec, versions } };
}

function withTypedDefaults(schema: StructuralSchema, isRoot: boolean): StructuralSchema {
  const { default: value, properties, items } = schema;
  const isResource = isRoot || isEmbedded(schema);
  const members = Object.entries(structOf(properties)).map(([name, member]) => [
    name,
    isJsonObject(member) && !(isResource && name === 'metadata') ? withTypedDefaults(member, false) : (member as Json),
  ]);
  return {
    ...schema,
    ...(value === undefined || value === null ? {} : { default: typedDefault(value, isRoot ? { ...schema, ...resource } : schema) }),
    ...(isJsonObject(properties) ? { properties: Object.fromEntries(members) as JsonObject } : {}),
    ...(isJsonObject(items) ? { items: withTypedDefaults(items, false) } : {}),
  };
}

const resource = { 'x-kubernetes-embedded-resource': true } as const;

/** A default that cannot be decoded is refused later, as it is. */
function typedDefault(value: Json, schema: StructuralSchema): Json {
  return embeddedTypeErrors(value, schema, '').length > 0 ? value : withTypedEmbedded(value, schema);
}
