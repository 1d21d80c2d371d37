import { isJsonObject, type JsonObject } from '../../../util/json.js';

/** A Secret with its `stringData` among its data, where the server keeps them. Source: Kubernetes API reference, Secret. */
export function withStringData(object: JsonObject): JsonObject {
  if (!isJsonObject(object.stringData)) return object;
  const { stringData, ...secret } = object;
  const encoded = Object.entries(stringData).map(([name, text]) => [name, Buffer.from(String(text ?? '')).toString('base64')] as const);
  if (encoded.length === 0) return secret;
  return { ...secret, data: { ...(isJsonObject(secret.data) ? secret.data : {}), ...Object.fromEntries(encoded) } };
}
