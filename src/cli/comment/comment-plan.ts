import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import { slashPath } from '../../util/slash-path.js';
import { outputFileOf } from '../config/flags.js';
import { planDigest, readText } from '../files/plan-file.js';
import { writeWhole } from '../files/write-whole.js';
import type { Host } from '../process/host.js';
import { linesText, printableOutput } from '../render/printable.js';
import { annotations, warningAnnotation } from './annotations.js';
import { addressOf, type CiJob } from './ci-job.js';
import { codeQuality } from './code-quality.js';
import { commentBody } from './comment-body.js';
import type { CommentFlags } from './comment-flags.js';
import { footerLines, headingLine, noPlanText } from './comment-texts.js';
import type { FailOn } from './fail-on.js';
import { markerLine, runLine } from './marker.js';
import { jobExitCode, type PlanVerdict, planVerdict } from './plan-verdict.js';
import { maxCommentCharacters, postComment } from './post-comment.js';
import { readSarif, type SourceFinding } from './read-sarif.js';

/** The most characters of the summary of a job: GitHub's limit is 1 MiB, and a character has up to three bytes. */
const maxSummaryCharacters = 300_000;

/** A plan as a pull request shows it. */
interface ShownPlan {
  readonly verdict: PlanVerdict;
  readonly heading: string;
  /** In Markdown. */
  readonly text: string;
  readonly footer: readonly string[];
  /** Of the saved plan; absent if a deploy cannot use it. */
  readonly digest?: string;
}

/**
 * Writes a plan to the summary, the annotations and the comment of a job. Ends with the exit code that the job should have.
 *
 * @throws FieldwiseError `ci-unknown`, `file-unreadable`, `file-unwritable`, `interrupted`.
 */
export async function commentPlan(file: string, flags: CommentFlags, host: Host): Promise<void> {
  const { exitCode = 0 } = flags;
  const job = await jobOf(host);
  const env = flags.env ?? (host.env.FIELDWISE_ENV || undefined);
  const directory = directoryOf(host, job);
  const plan = await shownPlan(file, { ...flags, ...(env === undefined ? {} : { env }) }, host, job, directory);
  const findings = flags.sarif === undefined ? [] : await readFindings(flags.sarif, host, exitCode);
  const quality = outputFileOf(flags, 'code-quality');
  if (quality !== undefined) await writeFile(host, quality, codeQuality(findings));
  if (job.system === 'github') {
    await addToSummary(host, plan);
    annotate(host, findings);
  }
  const marker = markerLine([flags.name ?? directory, env ?? ''].join(' '));
  const url = await comment(host, job, flags, marker, plan);
  await writeOutputs(host, outputFileOf(flags, 'dotenv'), {
    PLAN_VERDICT: plan.verdict,
    PLAN_EXIT_CODE: String(exitCode),
    PLAN_DIGEST: plan.digest ?? '',
    COMMENT_URL: url ?? '',
  });
  const { failOn = 'blocked' } = flags;
  const code = jobExitCode(plan.verdict, exitCode, failOn);
  if (code !== exitCode) host.stderr(refusalText(plan.verdict, failOn));
  host.setExitCode(code);
}

/** Returns why the job fails although the cluster accepts the plan; empty for a plan that says so itself. */
function refusalText(verdict: PlanVerdict, failOn: FailOn): string {
  const because = (what: string, next: string) => `This job fails because the plan ${what} (--fail-on ${failOn}). ${next}\n`;
  if (verdict === 'risky')
    return because('is risky', '`fieldwise diff --risky` shows what is risky; review it, and deploy as the summary of the job says.');
  return verdict === 'harmless' ? because('changes objects', 'The comment and the summary of the job list them.') : '';
}

async function jobOf({ env }: Host): Promise<CiJob> {
  if (env.GITHUB_ACTIONS === 'true') return (await import('./github-job.js')).githubJob(env);
  if (env.GITLAB_CI === 'true') return (await import('./gitlab-job.js')).gitlabJob(env);
  throw new FieldwiseError('ci-unknown', 'usage', 'This is a job of neither GitHub Actions nor GitLab CI', {
    next: 'Both set a variable, GITHUB_ACTIONS or GITLAB_CI, to true. Elsewhere, `fieldwise diff --output-file markdown=FILE` writes the plan for a comment.',
  });
}

/** Returns the directory of the project below the root of the repository; `.` for the root. */
function directoryOf({ cwd, env }: Host, { system }: CiJob): string {
  const root = system === 'github' ? env.GITHUB_WORKSPACE : env.CI_PROJECT_DIR;
  const below = root ? slashPath(root, cwd) : '';
  return below === '' || below.startsWith('..') ? '.' : below;
}

async function shownPlan(file: string, flags: CommentFlags, host: Host, job: CiJob, directory: string): Promise<ShownPlan> {
  const { exitCode = 0 } = flags;
  const next = 'Pass the files that `fieldwise diff --output-file markdown=FILE --output-file json=FILE` wrote.';
  const read = (name: string) => (exitCode === 0 ? readText(host, name, next) : readText(host, name).catch(() => ''));
  const verdict = verdictOf(await read(flags.events), flags, next);
  const markdown = await read(file);
  const isDeployable = flags.plan !== undefined && exitCode === 0 && verdict !== 'failed';
  const digest = isDeployable ? planDigest(await readText(host, flags.plan as string)) : undefined;
  return {
    verdict,
    heading: headingLine(flags.name ?? (directory === '.' ? undefined : directory), flags.env),
    text: markdown.trim() === '' || (verdict === 'failed' && exitCode === 0) ? noPlanText(exitCode) : markdown,
    footer: footerLines({
      job,
      env: flags.env,
      digest: verdict === 'unchanged' ? undefined : digest, // nobody needs to deploy it
      isBlocked: flags.plan !== undefined && verdict === 'blocked',
      artifact: flags.artifact,
      artifactUrl: addressOf(flags.artifactUrl),
      page: verdict === 'unchanged' ? undefined : pageName(flags.page, host),
    }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Returns the name of the page of the plan; undefined if the diff failed before it was written. */
function pageName(page: string | undefined, { cwd }: Host): string | undefined {
  return page === undefined || !existsSync(path.resolve(cwd, page)) ? undefined : path.basename(page);
}

/** Weighs the plan. The exit code of a diff that failed matters more than a file that it did not finish. */
function verdictOf(events: string, { events: file, exitCode = 0 }: CommentFlags, next: string): PlanVerdict {
  try {
    return planVerdict(events, exitCode);
  } catch (cause) {
    if (exitCode !== 0) return 'failed';
    throw unreadable(file, 'a plan as JSON', next, cause);
  }
}

async function readFindings(file: string, host: Host, exitCode: number): Promise<readonly SourceFinding[]> {
  try {
    return readSarif(await readText(host, file));
  } catch (cause) {
    if (exitCode !== 0) return [];
    if (cause instanceof FieldwiseError) throw cause;
    throw unreadable(file, 'SARIF', 'Pass the file that `fieldwise diff --output-file sarif=FILE` wrote.', cause);
  }
}

function unreadable(file: string, what: string, next: string, cause: unknown): FieldwiseError {
  return new FieldwiseError('file-unreadable', 'usage', `The file is not ${what}: ${(cause as Error).message}`, {
    location: { file },
    next,
    cause,
  });
}

async function addToSummary(host: Host, { heading, text, footer }: ShownPlan): Promise<void> {
  const file = host.env.GITHUB_STEP_SUMMARY;
  if (file) await append(host, file, `${commentBody({ marks: [], heading, plan: text, footer }, maxSummaryCharacters)}\n\n`);
}

function annotate(host: Host, findings: readonly SourceFinding[]): void {
  const { lines, leftOut } = annotations(findings);
  for (const line of lines) host.data(printableOutput(`${line}\n`));
  if (leftOut > 0) host.stdout(`and ${leftOut} more findings, which the plan lists\n`);
}

/** Writes the comment, and returns its page. A comment that cannot be written is a warning: the job ends as the plan says. */
async function comment(
  host: Host,
  job: CiJob,
  flags: CommentFlags,
  marker: string,
  { heading, text, footer }: ShownPlan,
): Promise<string | undefined> {
  const pullRequest = flags.pullRequest ?? job.pullRequest;
  if (!flags.comment) return undefined;
  if (pullRequest === undefined) {
    host.stdout('no comment: this job has no pull request (--pull-request names one)\n');
    return undefined;
  }
  const body = commentBody({ marks: [marker, runLine(job.run)], heading, plan: text, footer }, maxCommentCharacters);
  try {
    const { outcome, url } = await postComment(job, pullRequest, { marker, text: body, signal: host.signal });
    const what = outcome === 'left' ? 'left as it is: it shows the plan of a newer commit' : outcome;
    host.stdout(`comment ${what}${url === undefined ? '' : `: ${url}`}\n`);
    return url;
  } catch (error) {
    if (!(error instanceof FieldwiseError) || error.code !== 'comment-not-written') throw error;
    const warning = `${error.describe()} [${error.code}]`;
    host.stderr(linesText([`warning: ${warning}`]));
    if (job.system === 'github') host.data(printableOutput(`${warningAnnotation('fieldwise: comment-not-written', warning)}\n`));
    return undefined;
  }
}

async function writeOutputs(host: Host, file: string | undefined, outputs: Readonly<Record<string, string>>): Promise<void> {
  const text = Object.entries(outputs)
    .map(([name, value]) => `${name}=${value.replace(/[\r\n]+/g, ' ')}\n`)
    .join('');
  if (file !== undefined) await writeFile(host, file, text);
  else if (host.env.GITHUB_OUTPUT) await append(host, host.env.GITHUB_OUTPUT, text);
}

async function writeFile(host: Host, file: string, text: string): Promise<void> {
  await writing(file, writeWhole(path.resolve(host.cwd, file), text));
}

async function append(host: Host, file: string, text: string): Promise<void> {
  await writing(file, appendFile(path.resolve(host.cwd, file), text));
}

async function writing(file: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    throw new FieldwiseError('file-unwritable', 'usage', `The file cannot be written: ${(cause as Error).message}`, {
      location: { file },
      next: 'Pass another file.',
      cause,
    });
  }
}
