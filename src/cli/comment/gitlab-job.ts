import { addressOf, type CiJob, commitOf, pullRequestNumber, runNumber } from './ci-job.js';

/** Returns the job of GitLab CI in which the command runs. Source: GitLab, "Predefined CI/CD variables". */
export function gitlabJob(env: NodeJS.ProcessEnv): CiJob {
  const pullRequest = pullRequestNumber(env.CI_MERGE_REQUEST_IID);
  const page = addressOf(env.CI_MERGE_REQUEST_PROJECT_URL);
  return {
    system: 'gitlab',
    repository: env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID || '',
    pullRequest,
    pullRequestUrl: page === undefined || pullRequest === undefined ? undefined : `${page}/-/merge_requests/${pullRequest}`,
    isFork: (env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID ?? '') !== (env.CI_MERGE_REQUEST_PROJECT_ID ?? ''),
    run: { id: runNumber(env.CI_PIPELINE_ID), commit: commitOf(env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA) ?? commitOf(env.CI_COMMIT_SHA) },
    runUrl: addressOf(env.CI_JOB_URL),
    apiUrl: addressOf(env.CI_API_V4_URL) ?? 'https://gitlab.com/api/v4',
    // The token of a job (CI_JOB_TOKEN) may not write notes.
    token: env.GITLAB_TOKEN?.trim() || undefined,
  };
}
