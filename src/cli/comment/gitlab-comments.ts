import { ApiFailure } from './api-failure.js';
import { type ApiAccess, callApi } from './call-api.js';
import { bodyText, type CommentsApi, type PostedComment } from './comments-api.js';
import { listPages, pageSize } from './list-pages.js';

/** A note as GitLab returns it. Source: GitLab, "Notes API". */
interface GitLabNote {
  readonly id: number;
  readonly body?: unknown;
  /** True for the notes that GitLab writes. */
  readonly system?: boolean;
  readonly author?: { readonly id?: number } | null;
}

/**
 * Returns the notes of a merge request on GitLab.
 *
 * @param page the address of the merge request; undefined if unknown.
 */
export function gitlabComments(access: ApiAccess, project: string, mergeRequest: number, page: string | undefined): CommentsApi {
  const path = `/projects/${encodeURIComponent(project)}/merge_requests/${mergeRequest}/notes`;
  const posted = (note: GitLabNote, isOwn: boolean): PostedComment => ({
    id: note.id,
    body: bodyText(note.body),
    isOwn,
    ...(page === undefined ? {} : { url: `${page}#note_${note.id}` }),
  });
  const written = (response: unknown): PostedComment => {
    const note = response as GitLabNote | undefined;
    if (!Number.isSafeInteger(note?.id)) throw new ApiFailure('The response of the API is not a note');
    return posted(note as GitLabNote, true);
  };
  return {
    list: async () => {
      const user = (await callApi(access, 'GET', '/user')) as { readonly id?: unknown } | undefined;
      const owner = user?.id;
      if (!Number.isSafeInteger(owner)) throw new ApiFailure('The response of the API does not say whose token it is');
      const notes = await listPages<GitLabNote>((number) =>
        callApi(access, 'GET', `${path}?sort=asc&order_by=created_at&per_page=${pageSize}&page=${number}`),
      );
      return notes.map((note) => posted(note, note.system !== true && note.author?.id === owner));
    },
    create: async (body) => written(await callApi(access, 'POST', path, { body })),
    update: async (id, body) => written(await callApi(access, 'PUT', `${path}/${id}`, { body })),
    remove: async (id) => {
      await callApi(access, 'DELETE', `${path}/${id}`);
    },
  };
}
