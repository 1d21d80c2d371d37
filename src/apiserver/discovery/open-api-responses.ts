import type { JsonObject } from '../../util/json.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import type { Backend } from '../registry/backend.js';
import type { Catalog, PublishedDocument } from '../registry/catalog.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import { discoveredBindings } from '../verbs/bindings.js';
import { discoveredReviews } from '../verbs/review.js';
import { cachedResponse, documentHash } from './cached-response.js';
import { membersOf, openApi, openApiPaths } from './open-api.js';
import { messageType, openApiMessage, requestedMessageTypes } from './open-api-message.js';
import { openApiV2Document } from './open-api-v2.js';
import { plainText } from './plain-text.js';

/** Returns a document that is made again when its resources change. */
function publish(
  catalog: Catalog,
  path: string,
  resources: readonly DiscoveredResource[],
  make: () => JsonObject | undefined,
): PublishedDocument | undefined {
  const known = catalog.documents.get(path);
  if (known?.resources.length === resources.length && resources.every((resource, index) => resource === known.resources[index]))
    return known;
  const document = make();
  if (document === undefined) return undefined;
  const result = { resources, document, hash: documentHash(document) };
  catalog.documents.set(path, result);
  return result;
}

/** Returns what the documents describe: the resources, and what can only be created. */
function allOf(catalog: Catalog): readonly DiscoveredResource[] {
  return [...catalog.discovered(), ...discoveredReviews, discoveredBindings];
}

function publishV3(catalog: Catalog, path: string): PublishedDocument | undefined {
  const all = allOf(catalog);
  const resources = membersOf(all, path).map(({ resource }) => resource);
  return publish(catalog, path, resources, () => openApi(all, path));
}

/** Returns the index of the documents, with the hash of each. */
export function openApiV3Index(catalog: Catalog): ApiResponse {
  const paths = openApiPaths(allOf(catalog)).map((path) => {
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${publishV3(catalog, path)?.hash}` }] as const;
  });
  return { ...apiResponse(200, { paths: Object.fromEntries(paths) }), contentType: plainText };
}

const yearInMilliseconds = 365 * 24 * 60 * 60 * 1000;

/** Returns the document of a group and version; one that is addressed by its hash never changes. */
export function openApiV3({ catalog, clock }: Pick<Backend, 'catalog' | 'clock'>, request: ApiRequest, path: string): ApiResponse {
  const found = publishV3(catalog, path);
  if (found === undefined) return { ...apiResponse(404, ''), contentType: plainText };
  const { document, hash } = found;
  const asked = request.query.get('hash');
  if (asked !== null && asked !== '' && asked !== hash) {
    const headers = { location: `/openapi/v3/${path}?hash=${hash}` };
    return { ...apiResponse(301, ''), contentType: plainText, headers };
  }
  const expires = new Date(clock() + yearInMilliseconds).toUTCString();
  const forever: Readonly<Record<string, string>> = asked ? { 'cache-control': 'public, immutable', expires } : {};
  return cachedResponse(request, document, { vary: 'Accept', ...forever }, hash);
}

/** Returns the definitions of all kinds in one document: as JSON, or as the protobuf that kubectl requests. */
export function openApiV2(catalog: Catalog, request: ApiRequest): ApiResponse {
  const types = (request.headers.accept ?? '').split(',').map((clause) => clause.split(';')[0]?.trim() ?? '');
  const all = allOf(catalog);
  const { document, hash } = publish(catalog, 'v2', all, () => openApiV2Document(all)) as PublishedDocument;
  const response = cachedResponse(request, document, { vary: 'Accept-Encoding' }, hash);
  const first = types.find((type) => ['', '*/*', 'application/*', 'application/json', ...requestedMessageTypes].includes(type));
  if (first === undefined) return { ...apiResponse(406, ''), contentType: plainText, headers: { vary: 'Accept-Encoding' } };
  if (response.code === 304 || !requestedMessageTypes.includes(first)) return response;
  return { ...response, contentType: messageType, bytes: openApiMessage(document) };
}
