import type { JsonObject } from '../../util/json.js';
import { badRequest, type StatusError } from '../api/status-error.js';

/** The kind that a path expects in a body. */
export interface ExpectedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Checks apiVersion and kind of a built-in object; if they are empty or absent, those of the path apply. @throws StatusError 400 */
export async function checkKind(object: JsonObject, expected: ExpectedKind): Promise<void> {
  const sent = object as Partial<ExpectedKind>;
  const apiVersion = sent.apiVersion || expected.apiVersion;
  const kind = sent.kind || expected.kind;
  if (apiVersion === expected.apiVersion && kind === expected.kind) return;
  const { kinds } = await import('./protobuf/message-table.js');
  const isKnown = Object.hasOwn(kinds, apiVersion) && kinds[apiVersion]?.split(' ').includes(kind);
  if (isKnown && kind === expected.kind) throw otherVersion(expected.apiVersion, apiVersion);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const reason = isKnown
    ? `converting (${version}.${kind}) to (${internalPackage(expected)}.${expected.kind}): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${reason}`);
}

/** Returns the Go package of the type that all versions of a kind convert to: the first word of its group. */
function internalPackage({ apiVersion, kind }: ExpectedKind): string {
  if (kind === 'Event') return 'core';
  return apiVersion.includes('/') ? (apiVersion.split(/[./]/, 1)[0] as string) : 'core';
}

/** Returns an object whose apiVersion has no empty group: `/v1` becomes `v1`, and `/` an empty text. Source: observed. */
export function withPlainVersion(object: JsonObject): JsonObject {
  const { apiVersion } = object;
  return typeof apiVersion === 'string' && /^\/[^/]*$/.test(apiVersion) ? { ...object, apiVersion: apiVersion.slice(1) } : object;
}

export function otherVersion(expected: string, apiVersion: string): StatusError {
  return badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
}
