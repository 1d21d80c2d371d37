import { nameOf } from '../../fields/object.js';
import { type ClusterClient, isForbidden, type ObjectAddress, type Resource } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';

/** From this number of wanted objects of a collection on, listing it may be cheaper than reading each. */
const minObjectsToList = 3;
/** The number of listed objects per wanted one up to which a LIST is still cheaper. */
const maxListedPerObject = 10;
/** The number of other objects for which a second page is not worthwhile. */
const pageAllowance = 10;

/**
 * Returns true if a LIST may be cheaper than a GET of each wanted object. Secrets are never listed: credentials that may read some Secrets
 * need not see the others.
 */
export function isWorthListing({ apiVersion, kind }: Resource, wanted: number): boolean {
  return wanted >= minObjectsToList && !(kind === 'Secret' && apiVersion === 'v1');
}

/**
 * Lists the collection of an object, page by page, and hands over the wanted objects.
 *
 * @returns false if the collection contains too many others or the credentials do not permit it: then objects may be missing. The first page
 *   mostly is the whole response, and else says how many follow.
 */
export async function listWanted(
  cluster: ClusterClient,
  { resource, namespace }: Pick<ObjectAddress, 'resource' | 'namespace'>,
  wanted: ReadonlySet<string>,
  take: (item: JsonObject) => void,
  { metadataOnly = false }: { readonly metadataOnly?: boolean } = {},
): Promise<boolean> {
  const scope = namespace === undefined ? {} : { namespace };
  let read = 0;
  try {
    const firstPageSize = wanted.size * 2 + pageAllowance;
    for await (const { items, remainingItemCount } of cluster.pages(resource, { ...scope, metadataOnly, firstPageSize })) {
      for (const item of items) if (wanted.has(nameOf(item))) take(item);
      read += items.length;
      if (read + remainingItemCount > wanted.size * maxListedPerObject) return false;
    }
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}
