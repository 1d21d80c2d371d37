import type { JsonObject } from '../../util/json.js';
import { YamlTextError } from '../../util/yaml-text-error.js';
import { JsonTextError } from '../api/json-text.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest, type StatusError, unsupportedMediaType } from '../api/status-error.js';
import type { RequestTarget } from '../registry/backend.js';
import { readBodyText } from './body-reader.js';
import { checkKind, type ExpectedKind, withPlainVersion } from './check-kind.js';
import { protobufType } from './negotiate.js';
import type { ParsedBody } from './parse-body.js';
import { withTypeMeta } from './type-meta.js';

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
    throw await refusedProtobuf(request, { apiVersion, kind });
  const body = await readObjectBody(request, { apiVersion, kind });
  if (resource.strategy.custom && kind === resource.kind && body.object.kind === undefined) {
    const text = bodyText(request);
    throw unrecognized(kind, `Object 'Kind' is missing in '${text}'`, text);
  }
  // The schema of a custom resource decides by which words another kind is refused.
  if (!resource.strategy.custom || kind !== resource.kind) {
    const object = withPlainVersion(body.object);
    const sent = object.apiVersion as string | undefined;
    if (sent !== undefined && /\/.*\//s.test(sent)) throw unrecognized(kind, `unexpected GroupVersion string: ${sent}`, bodyText(request));
    if (sent?.endsWith('/') === true)
      throw badRequest(`${kind} in version "" cannot be handled as a ${kind}: Object 'apiVersion' is missing in '${bodyText(request)}'`);
    const isOlder = subresource !== undefined && sent === olderVersions[subresource];
    await checkKind(object, { apiVersion: isOlder ? (sent as string) : apiVersion, kind });
    return { ...body, object };
  }
  return body;
}

/**
 * Returns the refusal of a custom resource in protobuf. A server decodes it only where it need not report unknown fields; elsewhere, where
 * this server answers 415, it drops the connection. Source: observed.
 */
async function refusedProtobuf(request: ApiRequest, expected: ExpectedKind): Promise<StatusError> {
  if (request.query.get('fieldValidation') !== 'Ignore')
    return unsupportedMediaType(acceptedMediaTypes.filter((each) => each !== protobufType));
  const { refusedObject } = await import('./protobuf/read-body.js');
  return refusedObject(bodyBytes(request), expected);
}

/** The apiVersion and kind of the body of a subresource that is not the object itself. */
const subresourceKinds: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  binding: ['v1', 'Binding'],
  eviction: ['policy/v1', 'Eviction'],
  scale: ['autoscaling/v1', 'Scale'],
  token: ['authentication.k8s.io/v1', 'TokenRequest'],
};

/** Another version that the body of a subresource may have. Source: observed. */
const olderVersions: Readonly<Record<string, string>> = { eviction: 'policy/v1beta1' };

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
  const text = bodyText(request);
  try {
    const { value, duplicateFields } = await readBodyText(text, type === 'application/yaml' ? 'sorted-yaml' : 'json', request.inOneGo);
    // An empty document is an empty object.
    if (value === null) return { object: {}, duplicateFields };
    return { object: withTypeMeta(value), duplicateFields };
  } catch (error) {
    const reason = error instanceof JsonTextError ? `couldn't get version/kind; json parse error: ${error.message}` : undefined;
    if (reason === undefined && !(error instanceof YamlTextError)) throw error;
    throw unrecognized(kind, reason ?? (error as Error).message, text);
  }
}

function unrecognized(kind: string, reason: string, text: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${reason} (${excerptOf(text)})`);
}

/** Returns the beginning of a body as messages quote it: an object as text, anything else as bytes. */
function excerptOf(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text.slice(0, 31));
  const shown = bytes.subarray(0, 30).toString(text.startsWith('{') ? 'utf8' : 'hex');
  return bytes.length > 30 ? `${shown} ...` : shown;
}

/** Reads a JSON patch of any type. @throws StatusError 400 */
export async function patchBody(request: ApiRequest): Promise<ParsedBody> {
  try {
    return await readBodyText(bodyText(request), 'json', request.inOneGo);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const isStrategic = mediaType(request) === 'application/strategic-merge-patch+json';
    throw badRequest(isStrategic ? error.message : `error decoding patch: ${error.message}`);
  }
}
