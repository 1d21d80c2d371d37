import { ApiFailure } from './api-failure.js';

/** The comments of a page: the most that GitHub and GitLab permit. */
export const pageSize = 100;
const maxPages = 200;

/**
 * Reads all pages of a list by their numbers: a link to the next page could lead the token to another server.
 *
 * @throws ApiFailure if the list does not end, or an entry has no `id`.
 */
export async function listPages<Entry extends { readonly id: number }>(
  read: (page: number) => Promise<unknown>,
): Promise<readonly Entry[]> {
  const found = new Map<number, Entry>();
  for (let page = 1; page <= maxPages; page += 1) {
    const entries = await read(page);
    if (!isList(entries)) throw new ApiFailure(`The response of the API is not a list of comments`);
    const before = found.size;
    for (const entry of entries) found.set(entry.id, entry as Entry);
    if (entries.length < pageSize || found.size === before) return [...found.values()];
  }
  throw new ApiFailure(`There are more than ${maxPages * pageSize} comments`);
}

function isList(value: unknown): value is readonly { readonly id: number }[] {
  return Array.isArray(value) && value.every((entry) => Number.isSafeInteger((entry as { readonly id?: unknown } | null)?.id));
}
