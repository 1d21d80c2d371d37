import { ApiFailure } from './api-failure.js';
import { type ApiAccess, callApi } from './call-api.js';
import { addressOf } from './ci-job.js';
import { bodyText, type CommentsApi, type PostedComment } from './comments-api.js';
import { listPages, pageSize } from './list-pages.js';

/** A comment as GitHub returns it, unchecked. Source: GitHub, "REST API endpoints for issue comments". */
interface GitHubComment {
  readonly id: number;
  readonly body?: unknown;
  readonly html_url?: unknown;
  readonly user?: { readonly login?: unknown } | null;
}

/** The author of comments that are written with the token of a job, which may not ask who it is. */
const jobLogin = 'github-actions[bot]';

/** Returns the comments of a pull request on GitHub. Only those of the author are own ones: anybody can write the marker into a comment. */
export function githubComments(access: ApiAccess, repository: string, pullRequest: number): CommentsApi {
  const path = `/repos/${repository}/issues`;
  let author: string | undefined;
  const learnAuthor = (comment: GitHubComment) => {
    const { login } = comment.user ?? {};
    if (typeof login === 'string') author = login;
    return posted(comment, author);
  };
  return {
    list: async () => {
      author ??= await authorOf(access);
      const comments = await listPages<GitHubComment>((page) =>
        callApi(access, 'GET', `${path}/${pullRequest}/comments?per_page=${pageSize}&page=${page}`),
      );
      return comments.map((comment) => posted(comment, author));
    },
    // The token of an app says whose it is only by what it writes.
    create: async (body) => learnAuthor(written(await callApi(access, 'POST', `${path}/${pullRequest}/comments`, { body }))),
    update: async (id, body) => learnAuthor(written(await callApi(access, 'PATCH', `${path}/comments/${id}`, { body }))),
    remove: async (id) => {
      await callApi(access, 'DELETE', `${path}/comments/${id}`);
    },
  };
}

/** Returns the login of the user whose token it is; that of jobs for a token that may not ask, which is one of a job or of an app. */
async function authorOf(access: ApiAccess): Promise<string> {
  try {
    const user = (await callApi(access, 'GET', '/user')) as { readonly login?: unknown } | undefined;
    if (typeof user?.login === 'string') return user.login;
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.isTransient || (error.status !== 403 && error.status !== 404)) throw error;
    return jobLogin;
  }
  throw new ApiFailure('The response of the API does not say whose token it is');
}

function posted({ id, body, html_url, user }: GitHubComment, author: string | undefined): PostedComment {
  const url = addressOf(html_url);
  return { id, body: bodyText(body), isOwn: author !== undefined && user?.login === author, ...(url === undefined ? {} : { url }) };
}

function written(response: unknown): GitHubComment {
  const comment = response as GitHubComment | undefined;
  if (!Number.isSafeInteger(comment?.id)) throw new ApiFailure('The response of the API is not a comment');
  return comment as GitHubComment;
}
