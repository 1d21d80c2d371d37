import type { Json, JsonObject } from '../../util/json.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import type { Schemas } from './open-api-messages.js';
import { operationsOf } from './open-api-operations.js';
import { publishedResource } from './open-api-resource.js';
import { resourceListPath, serverDocument, serverDocumentPaths } from './open-api-server.js';

/** Returns the paths of all documents, such as `apis/apps/v1`. */
export function openApiPaths(resources: readonly DiscoveredResource[]): readonly string[] {
  const roots = resources.flatMap((resource) => [...resource.versions.keys()].map((version) => rootOf(resource.group, version)));
  return [...new Set([...roots, ...serverDocumentPaths(resources)])].toSorted();
}

/**
 * Returns the document of one group and version, generated from the type model: kinds, fields, list types and operations; or one of those
 * about the server itself; undefined if there is none. Source: Kubernetes documentation "The Kubernetes API", "OpenAPI V3".
 */
export function openApi(resources: readonly DiscoveredResource[], path: string): JsonObject | undefined {
  const members = membersOf(resources, path);
  const schemas: Schemas = {};
  const paths: Record<string, Json> | undefined = members.length === 0 ? serverDocument(resources, path, schemas) : {};
  if (paths === undefined) return undefined;
  const published = members.map(({ resource, version }) => publishedResource(resource, version, path, schemas));
  const [first] = published;
  if (first?.custom === false) Object.assign(paths, resourceListPath(first, schemas));
  for (const each of published) Object.assign(paths, operationsOf(each));
  const components = { ...(Object.keys(schemas).length > 0 ? { schemas } : {}), securitySchemes };
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: '1.36' }, paths, components };
}

const securitySchemes = { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } };

interface Member {
  readonly resource: DiscoveredResource;
  readonly version: string;
}

/** Returns the resources of a path with their version. */
export function membersOf(resources: readonly DiscoveredResource[], path: string): readonly Member[] {
  return resources.flatMap((resource) => {
    const versions = [...resource.versions.keys()].filter((version) => rootOf(resource.group, version) === path);
    return versions.map((version) => ({ resource, version }));
  });
}

function rootOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}
