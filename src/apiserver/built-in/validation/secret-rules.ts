import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { type FieldError, invalidValue, required } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import { goTypeOf, jsonProblem } from '../../api/json-text.js';

const accountName = 'kubernetes.io/service-account.name';
const redacted = '<secret contents redacted>';

/** Validates that a Secret has what its type promises. Source: Kubernetes documentation "Secrets", "Types of Secret"; messages as observed. */
export function secretTypeErrors(secret: JsonObject): readonly FieldError[] {
  const data = structOf(secret.data);
  const absent = (keys: readonly string[]) => keys.filter((key) => data[key] === undefined);
  const missing = (keys: readonly string[]) => keys.map((key) => required(`data[${key}]`));
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      return structOf(structOf(secret.metadata).annotations)[accountName] ? [] : [required(`metadata.annotations[${accountName}]`)];
    case 'kubernetes.io/dockercfg':
      return configErrors(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return configErrors(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return absent(['username', 'password']).length === 2 ? missing(['username', 'password']) : [];
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : missing(['ssh-privatekey']);
    case 'kubernetes.io/tls':
      return missing(absent(['tls.crt', 'tls.key']));
    default:
      return [];
  }
}

/** Validates the JSON with the credentials of registries. */
function configErrors(data: JsonObject, key: string): readonly FieldError[] {
  const encoded = data[key];
  const field = `data[${key}]`;
  if (encoded === undefined) return [required(field)];
  const text = Buffer.from(String(encoded), 'base64').toString('utf8');
  const problem = jsonProblem(text) ?? mapProblem(text);
  return problem === undefined ? [] : [invalidValue(field, redacted, problem)];
}

function mapProblem(text: string): string | undefined {
  const value = JSON.parse(text);
  if (value === null || isJsonObject(value)) return undefined;
  return `json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`;
}
