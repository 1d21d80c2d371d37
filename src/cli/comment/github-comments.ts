import { ApiFailure } from './api-failure.js';
import { type ApiAccess, callApi } from './call-api.js';
import { addressOf } from './ci-job.js';
import type { CommentsApi, PostedComment } from './comments-api.js';
import { listPages, pageSize } from './list-pages.js';

/** A comment as GitHub returns it. Source: GitHub, "REST API endpoints for issue comments". */
interface GitHubComment {
  readonly id: number;
  readonly body?: string | null;
  readonly html_url?: string;
  readonly user?: { readonly login?: string; readonly type?: string } | null;
}

/** Returns the comments of a pull request on GitHub. */
export function githubComments(access: ApiAccess, repository: string, pullRequest: number): CommentsApi {
  const path = `/repos/${repository}/issues`;
  let owner: Promise<string | undefined> | undefined;
  const postedBy = (login: string | undefined) => (comment: GitHubComment) => posted(comment, login);
  return {
    list: async () => {
      owner ??= ownerOf(access);
      const login = await owner.catch((error) => {
        owner = undefined;
        throw error;
      });
      const comments = await listPages<GitHubComment>((page) =>
        callApi(access, 'GET', `${path}/${pullRequest}/comments?per_page=${pageSize}&page=${page}`),
      );
      return comments.map(postedBy(login));
    },
    create: async (body) => written(await callApi(access, 'POST', `${path}/${pullRequest}/comments`, { body })),
    update: async (id, body) => written(await callApi(access, 'PATCH', `${path}/comments/${id}`, { body })),
    remove: async (id) => {
      await callApi(access, 'DELETE', `${path}/comments/${id}`);
    },
  };
}

/** Returns the login of the user whose token it is; undefined for the token of a job or of an app, which may not ask. */
async function ownerOf(access: ApiAccess): Promise<string | undefined> {
  try {
    const user = (await callApi(access, 'GET', '/user')) as { readonly login?: unknown } | undefined;
    if (typeof user?.login === 'string') return user.login;
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.isTransient || (error.status !== 403 && error.status !== 404)) throw error;
    return undefined;
  }
  throw new ApiFailure('The response of the API does not say whose token it is');
}

function posted({ id, body, html_url, user }: GitHubComment, owner: string | undefined): PostedComment {
  const url = addressOf(html_url);
  const isOwn = owner === undefined ? user?.type === 'Bot' : user?.login === owner;
  return { id, body: body ?? '', isOwn, ...(url === undefined ? {} : { url }) };
}

function written(response: unknown): PostedComment {
  const comment = response as GitHubComment | undefined;
  if (!Number.isSafeInteger(comment?.id)) throw new ApiFailure('The response of the API is not a comment');
  return { ...posted(comment as GitHubComment, undefined), isOwn: true };
}
