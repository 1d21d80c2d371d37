import type { Json, JsonObject } from '../../util/json.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import { kindReference, type Schemas } from './open-api-messages.js';
import { groupIdentifier, type PublishedResource, reading, tagOf } from './open-api-operations.js';

const core = [{ group: '', version: 'v1' }];

/** Returns the paths of the documents about the server itself: its version, its keys, and its groups other than those of custom resources. */
export function serverDocumentPaths(resources: readonly DiscoveredResource[]): readonly string[] {
  const groups = resources.filter(({ strategy, group }) => group !== '' && strategy?.custom !== true).map(({ group }) => `apis/${group}`);
  return ['.well-known/openid-configuration', 'api', 'apis', ...new Set(groups), 'openid/v1/jwks', 'version'];
}

/** Returns the one path of such a document; undefined if there is no such document. Source: observed. */
export function serverDocument(resources: readonly DiscoveredResource[], path: string, schemas: Schemas): Record<string, Json> | undefined {
  if (!serverDocumentPaths(resources).includes(path)) return undefined;
  return { [`/${path}/`]: operation(path, schemas) };
}

function operation(path: string, schemas: Schemas): JsonObject {
  const text = { type: 'string' };
  const json = ['application/json'];
  switch (path) {
    case '.well-known/openid-configuration':
      return reading('WellKnown', 'getServiceAccountIssuerOpenIDConfiguration', text, json);
    case 'openid/v1/jwks':
      return reading('openid', 'getServiceAccountIssuerOpenIDKeyset', text, ['application/jwk-set+json']);
    case 'version':
      return reading('version', 'getCodeVersion', versionReference(schemas), json);
    case 'api':
      return reading('core', 'getCoreAPIVersions', kindReference(schemas, 'meta/v1.APIVersions', core));
    case 'apis':
      return reading('apis', 'getAPIVersions', kindReference(schemas, 'meta/v1.APIGroupList', core));
    default: {
      const group = path.slice('apis/'.length);
      return reading(tagOf(group, ''), `get${groupIdentifier(group)}APIGroup`, kindReference(schemas, 'meta/v1.APIGroup', core));
    }
  }
}

/** Returns the path at which a group and version lists its resources. */
export function resourceListPath({ path, group, version }: PublishedResource, schemas: Schemas): JsonObject {
  const name = `${groupIdentifier(group)}${version.charAt(0).toUpperCase()}${version.slice(1)}`;
  return {
    [`/${path}/`]: reading(tagOf(group, version), `get${name}APIResources`, kindReference(schemas, 'meta/v1.APIResourceList', core)),
  };
}

const versionName = 'io.k8s.apimachinery.pkg.version.Info';
const given = ['major', 'minor', 'gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'];
const possible = ['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor'];

function versionReference(schemas: Schemas): JsonObject {
  const properties = Object.fromEntries([
    ...given.map((name) => [name, { type: 'string', default: '' }]),
    ...possible.map((name) => [name, { type: 'string' }]),
  ]);
  schemas[versionName] = { type: 'object', required: given, properties };
  return { $ref: `#/components/schemas/${versionName}` };
}
