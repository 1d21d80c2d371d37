import { codeSpan } from '../render/formats/code-span.js';
import { onOneLine } from '../render/printable.js';
import { shellArgument } from '../render/shell-word.js';
import type { CiJob } from './ci-job.js';

/** Returns the heading of a comment, in Markdown. */
export function headingLine(name: string | undefined, env: string | undefined): string {
  const of = name === undefined ? '' : ` of ${span(name)}`;
  return `### Plan${of}${env === undefined ? '' : ` for ${span(env)}`}`;
}

const meanings: Readonly<Record<number, string>> = {
  2: 'a flag, the configuration or the program is wrong',
  3: 'the cluster did not accept the credentials',
  4: 'the cluster could not be read, or an object would fail',
  5: 'there are conflicts under the policy `fail`',
  130: 'it was interrupted',
};

/** Returns the text of a comment without a plan, in Markdown. The output of the diff stays in the log, where the CI system masks secrets. */
export function noPlanText(exitCode: number): string {
  const meaning = meanings[exitCode];
  return `**There is no plan.** \`fieldwise diff\` ended with exit code ${exitCode}${meaning === undefined ? '' : `: ${meaning}`}. The log of the job shows the error.`;
}

/** The facts below a plan. */
export interface FooterFacts {
  readonly job: Pick<CiJob, 'run' | 'runUrl'>;
  readonly env: string | undefined;
  readonly digest: string | undefined;
  /** The plan was saved, and is blocked. */
  readonly isBlocked: boolean;
  readonly artifact: string | undefined;
  readonly artifactUrl: string | undefined;
  /** The name of the page of the plan in the artifact. */
  readonly page: string | undefined;
}

/** Returns the lines below a plan, in Markdown. */
export function footerLines({ job, env, digest, isBlocked, artifact, artifactUrl, page }: FooterFacts): readonly string[] {
  const deploy = digest === undefined ? (isBlocked ? blockedLines : []) : deployLines(env, digest, artifact, artifactUrl);
  return [...deploy, ...pageLines(page, artifact, artifactUrl), runText(job)];
}

const blockedLines = ['No command deploys this plan, because it is blocked.', ''];

function deployLines(env: string | undefined, digest: string, artifact: string | undefined, url: string | undefined): readonly string[] {
  const place = artifact === undefined ? '' : ` in the artifact ${linkText(artifact, url)}`;
  const command = `npx fieldwise deploy${env === undefined ? '' : ` -e ${shellArgument(env)}`} --plan plan.json --plan-digest ${digest}`;
  return [
    `The plan is saved${place}. A deploy with these two flags does what it says, and nothing else, but for values that a warning names:`,
    '',
    '```sh',
    command,
    '```',
    '',
  ];
}

function pageLines(page: string | undefined, artifact: string | undefined, url: string | undefined): readonly string[] {
  if (page === undefined || artifact === undefined) return [];
  return [`The artifact ${linkText(artifact, url)} has the plan as a page, with old and new values side by side: ${span(page)}.`, ''];
}

function linkText(artifact: string, url: string | undefined): string {
  return url === undefined ? span(artifact) : `[${span(artifact)}](${url})`;
}

function runText({ run, runUrl }: FooterFacts['job']): string {
  const commit = run.commit === undefined ? '' : ` of ${run.commit.slice(0, 12)}`;
  return runUrl === undefined ? `<sub>Plan${commit}</sub>` : `<sub>Plan${commit}, made by [this run](${runUrl})</sub>`;
}

function span(text: string): string {
  return codeSpan(onOneLine(text));
}
