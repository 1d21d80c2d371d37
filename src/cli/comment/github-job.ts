import { readFile } from 'node:fs/promises';
import { addressOf, type CiJob, commitOf, pullRequestNumber, runNumber } from './ci-job.js';

/** The members of an event that say which pull request it concerns. Source: GitHub, "Webhook events and payloads". */
interface GitHubEvent {
  readonly pull_request?: {
    readonly number?: unknown;
    readonly head?: { readonly sha?: unknown; readonly repo?: { readonly full_name?: unknown } | null };
    readonly base?: { readonly repo?: { readonly full_name?: unknown } | null };
  };
  /** Of a comment: an issue that is a pull request has a member of this name. */
  readonly issue?: { readonly number?: unknown; readonly pull_request?: unknown };
}

/** Returns the job of GitHub Actions in which the command runs. */
export async function githubJob(env: NodeJS.ProcessEnv): Promise<CiJob> {
  const { pull_request: pull, issue } = await eventOf(env.GITHUB_EVENT_PATH);
  const repository = /^[\w.-]+\/[\w.-]+$/.test(env.GITHUB_REPOSITORY ?? '') ? (env.GITHUB_REPOSITORY as string) : '';
  const pullRequest = pullRequestNumber(pull?.number ?? (issue?.pull_request ? issue.number : undefined));
  const server = addressOf(env.GITHUB_SERVER_URL);
  const page = server === undefined || repository === '' ? undefined : `${server}/${repository}`;
  const id = runNumber(env.GITHUB_RUN_ID);
  return {
    system: 'github',
    repository,
    pullRequest,
    pullRequestUrl: page === undefined || pullRequest === undefined ? undefined : `${page}/pull/${pullRequest}`,
    isFork: pull !== undefined && pull.head?.repo?.full_name !== pull.base?.repo?.full_name,
    run: { id, commit: commitOf(pull?.head?.sha) ?? commitOf(env.GITHUB_SHA) },
    runUrl: page === undefined || id === undefined ? undefined : `${page}/actions/runs/${id}`,
    apiUrl: addressOf(env.GITHUB_API_URL) ?? 'https://api.github.com',
    token: env.GITHUB_TOKEN?.trim() || undefined,
  };
}

/** Reads the event that started the job. An event that cannot be read concerns no pull request. */
async function eventOf(file: string | undefined): Promise<GitHubEvent> {
  if (file === undefined || file === '') return {};
  try {
    const event: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof event === 'object' && event !== null ? event : {};
  } catch {
    return {};
  }
}
