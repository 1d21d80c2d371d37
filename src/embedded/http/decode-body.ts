import type { JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';
import type { RequestTarget } from '../registry/backend.js';
import type { DecodedObject } from '../registry/resource.js';
import type { WriteOptions } from '../registry/write-options.js';
import { decodingWarnings, strictDecodingErrors } from './strict-decoding.js';

/**
 * Decodes the object of a body by its kind. A custom object of another group or kind is refused before a schema decodes it; one that
 * differs in its kind alone is refused later, together with other errors. Source: observed.
 *
 * @throws StatusError 400
 */
export function decodeBody(
  target: RequestTarget,
  options: WriteOptions,
  body: JsonObject,
  duplicateFields: readonly string[],
): DecodedObject {
  const { resource, version } = target;
  const { strategy } = resource;
  const sent = body as { apiVersion?: string; kind?: string };
  if (!strategy.custom) checkKind(target, sent);
  else if (sent.kind === '') {
    throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing`);
  }
  const { unknownFields, ...decoded } = strategy.decodeRequest(body, version.apiVersion);
  const { apiVersion = version.apiVersion, kind = resource.kind } = strategy.custom ? sent : {};
  const strictErrors = strictDecodingErrors(unknownFields, duplicateFields);
  for (const text of decodingWarnings({ apiVersion, kind }, options, strictErrors)) target.warnings.push(text);
  if (apiVersion !== version.apiVersion) throw otherVersion(target, apiVersion);
  return decoded;
}

/** Checks apiVersion and kind of a built-in object; if they are empty or absent, those of the path apply. @throws StatusError 400 */
function checkKind(target: RequestTarget, sent: { apiVersion?: string; kind?: string }): void {
  const { resource, version } = target;
  const apiVersion = sent.apiVersion || version.apiVersion;
  const kind = sent.kind || resource.kind;
  if (apiVersion === version.apiVersion && kind === resource.kind) return;
  if (kind === resource.kind && resource.versions.has(apiVersion)) throw otherVersion(target, apiVersion);
  const cannot = (name: string, reason: string) =>
    badRequest(`${resource.kind} in version ${JSON.stringify(name)} cannot be handled as a ${resource.kind}: ${reason}`);
  if (kind === resource.kind) {
    const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
    throw cannot(apiVersion, `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} ${scheme}`);
  }
  const slash = apiVersion.indexOf('/');
  const found = `${slash < 0 ? '' : apiVersion.slice(0, slash)}/${apiVersion.slice(slash + 1)}, Kind=${kind}`;
  throw cannot(version.name, `converting (${found}) to (${resource.group}/${version.name}, Kind=${resource.kind}): unknown conversion`);
}

function otherVersion({ version }: RequestTarget, apiVersion: string): Error {
  return badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${version.apiVersion})`);
}
