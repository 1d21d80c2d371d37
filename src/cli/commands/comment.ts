import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommentFlags } from '../comment/comment-flags.js';
import { failOnValues } from '../comment/fail-on.js';
import { outputFileOption } from '../config/flags.js';
import type { Host } from '../process/host.js';

/** Adds `fieldwise comment`. */
export function registerComment(program: Command, host: Host): void {
  program
    .command('comment')
    .summary('write a plan to its pull request, in a job of GitHub Actions or GitLab CI')
    .description(
      'Writes a plan to its pull request: one comment per environment, which each run updates. Runs in a job of GitHub Actions (with GITHUB_TOKEN) or GitLab CI (with GITLAB_TOKEN), behind `fieldwise diff --output-file markdown=plan.md --output-file json=plan.jsonl`. On GitHub, it also writes the summary of the job, annotations and the outputs of the step. A comment that cannot be written is a warning. Ends with the exit code of the diff, or with 1 if --fail-on is met.',
    )
    .argument('<file>', 'the plan in Markdown, which `fieldwise diff --output-file markdown=FILE` wrote; may be absent if the diff failed')
    .requiredOption(
      '--events <file>',
      'the plan as JSON, which `fieldwise diff --output-file json=FILE` wrote; may be absent if the diff failed',
    )
    .option('--exit-code <number>', 'the exit code of the diff (default: 0)', readExitCode)
    .addOption(
      new Option(
        '--fail-on <verdict>',
        'the plan that fails the job: blocked (ends with the exit code of the diff), risky, changes (both end with 1), or never; a diff without a plan always fails (default: blocked)',
      ).choices(failOnValues),
    )
    .option('-e, --env <name>', 'the environment of the plan, which has a comment of its own (default: FIELDWISE_ENV, else none)')
    .option(
      '--name <text>',
      'the name of the comment, for several plans of one environment (default: the directory below the root of the repository)',
    )
    .option(
      '--plan <file>',
      'the plan that `fieldwise diff --output-file plan=FILE` saved: the comment shows its digest and how to deploy it',
    )
    .option(
      '--page <file>',
      'the page that `fieldwise diff --output-file html=FILE` wrote: the comment names it, and the artifact that contains it; may be absent if the diff failed',
    )
    .option('--artifact <name>', 'the name of the artifact that contains the saved plan and the page')
    .option('--artifact-url <address>', 'the page of the artifact')
    .option(
      '--sarif <file>',
      'the findings of the plan, which `fieldwise diff --output-file sarif=FILE` wrote: on GitHub, each becomes an annotation',
    )
    .addOption(
      outputFileOption(
        'also write a file in a format: code-quality has the findings of --sarif, as a report of GitLab; dotenv has verdict, exit code and digest, as lines NAME=VALUE (default: dotenv to GITHUB_OUTPUT, if it is set); repeatable',
        ['code-quality', 'dotenv'],
      ),
    )
    .option('--pull-request <number>', 'the number of the pull request (default: that of the job)', readPullRequest)
    .option('--no-comment', 'write no comment')
    .action(async (file: string, flags: CommentFlags) => (await import('../comment/comment-plan.js')).commentPlan(file, flags, host));
}

function readExitCode(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) < 256) return Number(text);
  throw new InvalidArgumentError('Expected a number from 0 to 255.');
}

function readPullRequest(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected the number of a pull request.');
}
