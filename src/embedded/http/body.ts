import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest, StatusError, unsupportedMediaType } from '../api/status-error.js';
import type { RequestTarget } from '../registry/backend.js';

/** Returns the media type of a body, without parameters. */
export function mediaType(request: ApiRequest): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Returns the body as text, empty if there is none. */
export function bodyText({ body = '' }: ApiRequest): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}

const acceptedMediaTypes = ['application/json', 'application/yaml'];

export interface ObjectBody {
  readonly object: JsonObject;
  readonly duplicateFields: readonly string[];
}

/** Reads a JSON or YAML object. @throws StatusError 400, 415 */
export function objectBody(request: ApiRequest, target: RequestTarget): Promise<ObjectBody> {
  return anyObjectBody(request, target.resource.kind, target.version.name);
}

/** Reads an object of a kind that is not stored. @throws StatusError 400, 415 */
export async function anyObjectBody(request: ApiRequest, kind: string, version: string): Promise<ObjectBody> {
  const text = bodyText(request);
  const type = mediaType(request);
  if (type !== '' && !acceptedMediaTypes.includes(type)) throw unsupportedMediaType(acceptedMediaTypes);
  if (type === 'application/yaml') {
    const { readYaml } = await import('./yaml-body.js');
    const { value } = readYaml(text);
    if (isJsonObject(value)) return { object: value, duplicateFields: [] };
  }
  try {
    const value = parseExactJson(text);
    if (isJsonObject(value)) return { object: value, duplicateFields: duplicateKeys(text, value) };
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  } catch (error) {
    if (error instanceof StatusError) throw error;
    if (error instanceof SyntaxError) throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`);
    throw error;
  }
}

/** Reads a JSON patch of any type. @throws StatusError 400 */
export function patchBody(request: ApiRequest): Json {
  try {
    return parseExactJson(bodyText(request));
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

/** Returns the paths of members that a JSON text contains twice; `value` is the parsed text. */
export function duplicateKeys(text: string, value: Json): readonly string[] {
  // Most bodies are serialized without spaces, and comparing such a body is much faster than parsing it again.
  if (stringifyExactJson(value) === text) return [];
  const duplicates: string[] = [];
  const frames: { readonly keys: Set<string> | undefined; path: string; index: number }[] = [];
  const tokens = /"((?:[^"\\]|\\.)*)(?:"(\s*:)?)?|[[\]{},]/gs;
  let key = '';
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const top = frames.at(-1);
    const path =
      top === undefined
        ? ''
        : top.keys === undefined
          ? `${top.path}[${top.index}]`
          : key === ''
            ? top.path
            : top.path === ''
              ? key
              : `${top.path}.${key}`;
    if (match[0] === '{') frames.push({ keys: new Set(), path, index: 0 });
    else if (match[0] === '[') frames.push({ keys: undefined, path, index: 0 });
    else if (match[0] === '}' || match[0] === ']') frames.pop();
    else if (match[0] === ',') {
      if (top !== undefined) top.index += 1;
    } else if (match[2] !== undefined && top?.keys !== undefined) {
      key = JSON.parse(`"${match[1]}"`) as string;
      if (top.keys.has(key)) duplicates.push(top.path === '' ? key : `${top.path}.${key}`);
      top.keys.add(key);
    }
  }
  return duplicates;
}
