import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest, StatusError, unsupportedMediaType } from '../api/status-error.js';
import type { RequestTarget } from '../registry/backend.js';
import { checkKind, type ExpectedKind } from './check-kind.js';
import { protobufType } from './negotiate.js';

/** Returns the media type of a body, without parameters. */
export function mediaType(request: ApiRequest): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Returns the body as text, empty if there is none. */
export function bodyText({ body = '' }: ApiRequest): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}

/** Returns the body as bytes. */
export function bodyBytes({ body = '' }: ApiRequest): Buffer {
  return Buffer.from(body as Uint8Array);
}

const acceptedMediaTypes = ['application/json', 'application/yaml', protobufType];

/** Checks that a body is of a type that the server reads; a body without one is JSON. @throws StatusError 415 */
export function checkMediaType(type: string): void {
  if (type !== '' && !acceptedMediaTypes.includes(type)) throw unsupportedMediaType(acceptedMediaTypes);
}

export interface ObjectBody {
  readonly object: JsonObject;
  readonly duplicateFields: readonly string[];
}

/** Reads an object of a resource. A custom resource has no protobuf, but its Scale does. @throws StatusError 400, 415 */
export async function objectBody(request: ApiRequest, target: RequestTarget): Promise<ObjectBody> {
  const { resource, version, subresource } = target;
  const [apiVersion, kind] = subresourceKinds[subresource ?? ''] ?? [version.apiVersion, resource.kind];
  if (resource.strategy.custom && kind === resource.kind && mediaType(request) === protobufType)
    throw unsupportedMediaType(acceptedMediaTypes.filter((each) => each !== protobufType));
  const body = await readObjectBody(request, { apiVersion, kind });
  // The schema of a custom resource decides by which words another kind is refused.
  if (!resource.strategy.custom || kind !== resource.kind) await checkKind(body.object, { apiVersion, kind });
  return body;
}

/** The apiVersion and kind of the body of a subresource that is not the object itself. */
const subresourceKinds: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  scale: ['autoscaling/v1', 'Scale'],
  token: ['authentication.k8s.io/v1', 'TokenRequest'],
};

/** Reads an object of a kind that is not stored. @throws StatusError 400, 415 */
export async function reviewBody(request: ApiRequest, expected: ExpectedKind): Promise<JsonObject> {
  const { object } = await readObjectBody(request, expected);
  await checkKind(object, expected);
  return object;
}

async function readObjectBody(request: ApiRequest, { apiVersion, kind }: ExpectedKind): Promise<ObjectBody> {
  const type = mediaType(request);
  checkMediaType(type);
  if (type === protobufType) {
    const { readObject } = await import('./protobuf/read-body.js');
    return { object: readObject(bodyBytes(request), { apiVersion, kind }), duplicateFields: [] };
  }
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const text = bodyText(request);
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
