import { metadataOf } from '../fields/object.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import type { CheckedRequests } from './checked-requests.js';
import type { ListOptions, ListPage } from './cluster-client.js';
import type { Resource } from './discovery.js';
import { collectionPath } from './object-path.js';
import type { ApiRequest } from './transport/transport.js';
import { unexpectedResponse } from './transport/unexpected-response.js';

const metadataListAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const defaultPageSize = 500;
/** Five million objects, more than a server stores. */
const maxPages = 10_000;

/** A page, with the resourceVersion of the list. */
interface VersionedPage extends ListPage {
  readonly resourceVersion: string;
}

/** Lists objects page by page; a page that is too large is requested again with fewer objects. */
export async function* listPages(requests: CheckedRequests, resource: Resource, options: ListOptions): AsyncGenerator<VersionedPage> {
  let next: string | undefined;
  const { pageSize = defaultPageSize } = options;
  let limit = Math.min(pageSize, options.firstPageSize ?? pageSize);
  let laterLimit = pageSize;
  for (let count = 1; ; count++) {
    const request = pageRequest(resource, options, limit, next);
    const page = await requests.sendForPage(request).catch((error: unknown) => {
      if (limit === 1 || !(error instanceof FieldwiseError) || error.code !== 'response-too-large') throw error;
      return undefined;
    });
    if (page === undefined) {
      limit = laterLimit = Math.ceil(limit / 10);
      continue;
    }
    const metadata = metadataOf(page);
    const token = typeof metadata.continue === 'string' && metadata.continue !== '' ? metadata.continue : undefined;
    if (token !== undefined && (token === next || count >= maxPages)) {
      const what = token === next ? 'a page whose continue token is that of the page before' : `more than ${maxPages} pages`;
      throw unexpectedResponse(requests.transport.server, request, what);
    }
    yield {
      items: (page.items ?? []) as readonly JsonObject[],
      remainingItemCount: remainingOf(page),
      resourceVersion: String(metadata.resourceVersion ?? ''),
    };
    if (token === undefined) return;
    next = token;
    limit = laterLimit;
  }
}

function pageRequest(resource: Resource, options: ListOptions, limit: number, token: string | undefined): ApiRequest {
  return {
    method: 'GET',
    path: collectionPath(resource, options.namespace),
    query: { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector, limit: String(limit), continue: token },
    ...(options.metadataOnly ? { accept: metadataListAccept } : {}),
  };
}

function remainingOf({ metadata }: JsonObject): number {
  const remaining = (metadata as JsonObject | undefined)?.remainingItemCount;
  return typeof remaining === 'number' ? remaining : 0;
}
