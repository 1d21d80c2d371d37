import { FieldwiseError } from '../../util/error.js';
import { ApiFailure } from './api-failure.js';
import type { ApiAccess } from './call-api.js';
import type { CiJob } from './ci-job.js';
import type { CommentsApi } from './comments-api.js';
import { githubComments } from './github-comments.js';
import { gitlabComments } from './gitlab-comments.js';
import { type StickyComment, writeStickyComment } from './write-sticky-comment.js';

/** The longest comment of GitHub. GitLab permits a million characters, which nobody reads. */
export const maxCommentCharacters = 65_535;

/**
 * Writes the comment of a pull request.
 *
 * @param marker the first line of the text.
 * @throws FieldwiseError `comment-not-written`, `interrupted`.
 */
export async function postComment(
  job: CiJob,
  pullRequest: number,
  { marker, text, signal }: { readonly marker: string; readonly text: string; readonly signal: AbortSignal },
): Promise<StickyComment> {
  const token = checkedToken(job);
  const api = commentsOf(job, pullRequest, { url: job.apiUrl, token, signal, headers: headersOf(job, token) });
  try {
    return await writeStickyComment(api, { marker, run: job.run, text, signal });
  } catch (error) {
    if (error instanceof ApiFailure) throw notWritten(error.message, nextStep(error, job), error);
    throw error;
  }
}

function commentsOf(job: CiJob, pullRequest: number, access: ApiAccess): CommentsApi {
  if (job.repository === '') {
    const variable = job.system === 'github' ? 'GITHUB_REPOSITORY' : 'CI_PROJECT_ID';
    throw notWritten(`The variable ${variable} does not name the repository`, 'Run the command in a job of a pipeline.');
  }
  return job.system === 'github'
    ? githubComments(access, job.repository, pullRequest)
    : gitlabComments(access, job.repository, pullRequest, job.pullRequestUrl);
}

function headersOf({ system }: CiJob, token: string): ApiAccess['headers'] {
  return system === 'github'
    ? { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' }
    : { 'PRIVATE-TOKEN': token, Accept: 'application/json' };
}

/** A token that no header can contain would otherwise be quoted by the error of the request. */
function checkedToken({ system, token }: CiJob): string {
  const [variable, how] =
    system === 'github'
      ? ['GITHUB_TOKEN', `Set it in the environment of the step: \`GITHUB_TOKEN: \${{ github.token }}\`.`]
      : ['GITLAB_TOKEN', 'Create a project access token with the scope api, and store it as a masked CI/CD variable of this name.'];
  if (token === undefined) throw notWritten(`The variable ${variable} is not set`, how);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw notWritten(`The variable ${variable} contains spaces or other characters that no token has`, how);
  return token;
}

function notWritten(what: string, next: string, cause?: unknown): FieldwiseError {
  return new FieldwiseError('comment-not-written', 'resource', `The comment was not written: ${what}`, { next, cause });
}

const permissions = {
  github: 'Give the job `permissions: { contents: read, pull-requests: write }`.',
  gitlab: 'The token needs the scope api, and its user at least the role Reporter.',
};

const addresses = { github: 'GITHUB_API_URL', gitlab: 'CI_API_V4_URL' };

function nextStep({ status, isTransient, retryAfterSeconds }: ApiFailure, { system, isFork, apiUrl }: CiJob): string {
  if (isTransient) {
    const asked = retryAfterSeconds === undefined ? '' : ` The server asks for a pause of ${Math.ceil(retryAfterSeconds)} s.`;
    return `Run the job again later.${asked}`;
  }
  if (status === 401) return 'The token is wrong or has expired: replace it.';
  if (status === 403 || status === 404) {
    const missing = status === 404 ? 'The pull request does not exist, or the token may not read it. ' : '';
    const fork =
      system === 'github'
        ? ' The token of a pull request from a fork, and of Dependabot, only reads: there the job summary shows the plan.'
        : '';
    return isFork && system === 'github' ? `${missing}${fork.trim()}` : `${missing}${permissions[system]}${fork}`;
  }
  if (status === 422 || status === 400) return 'The server rejects the text, or the conversation of the pull request is locked.';
  return `Check that ${apiUrl} (${addresses[system]}) is the address of the API.`;
}
