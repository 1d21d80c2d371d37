import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { goTypeOf, JsonTextError } from '../api/json-text.js';

const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Returns an object whose apiVersion and kind are texts. @throws JsonTextError */
export function withTypeMeta(object: Json): JsonObject {
  if (!isJsonObject(object)) throw new JsonTextError(`json: cannot unmarshal ${goTypeOf(object)} into Go value of type ${typeMeta}`);
  for (const member of ['apiVersion', 'kind']) {
    const value = object[member] ?? '';
    if (typeof value !== 'string')
      throw new JsonTextError(`json: cannot unmarshal ${goTypeOf(value)} into Go struct field .${member} of type string`);
  }
  return object;
}
