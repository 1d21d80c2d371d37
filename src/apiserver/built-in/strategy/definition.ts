import { isJsonObject, type JsonObject, jsonEqual } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';
import { withTypedDefaults } from '../../custom/typed-defaults.js';
import { isStructural } from '../validation/crd-rules.js';

/** Returns a CustomResourceDefinition with the defaults of its structural schemas as they are stored, and any other object unchanged. */
export function prepareDefinition(object: JsonObject): JsonObject {
  if (object.kind !== 'CustomResourceDefinition') return object;
  const spec = structOf(object.spec);
  const versions = listOf(spec.versions).map((version) => {
    const { schema } = structOf(version);
    if (!isJsonObject(schema) || !isJsonObject(schema.openAPIV3Schema)) return version;
    const typed = withTypedDefaults(schema.openAPIV3Schema);
    // Few schemas have such defaults, and to validate the structure of a large one takes long.
    if (jsonEqual(typed, schema.openAPIV3Schema) || !isStructural(schema.openAPIV3Schema)) return version;
    return { ...structOf(version), schema: { ...schema, openAPIV3Schema: typed } };
  });
  return { ...object, spec: { ...spec, versions } };
}
