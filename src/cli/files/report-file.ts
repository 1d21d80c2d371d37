import path from 'node:path';
import type { EventHost, RunReport, RunSummary } from '../../deploy/index.js';
import { FieldwiseError } from '../../util/error.js';
import { thisMachine } from '../../util/machine.js';
import type { Host } from '../process/host.js';
import { requireWritable } from './require-writable.js';
import { writeWhole } from './write-whole.js';

/**
 * Runs a verb and writes the report that `--output-file report=FILE` asks for, even if the run was refused after its start.
 *
 * @returns undefined if the run was refused, the renderer has printed the reason, and the exit code is set.
 * @throws FieldwiseError `report-not-written`, and the errors of the run.
 */
export async function runWithReport<Outcome>(
  flags: { readonly report?: string; readonly json?: boolean },
  host: Host,
  of: { readonly app: string; readonly instance: string; readonly server: string },
  events: EventHost,
  run: (events: EventHost) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  let summary: RunSummary | undefined;
  const watching: EventHost = (event) => {
    if (event.event === 'summary') summary = event;
    events(event);
  };
  const report = flags.report === undefined ? undefined : await reportInto(flags.report, host);
  try {
    const outcome = await run(report ? report.collecting(watching) : watching);
    if (summary) await report?.write(summary, of);
    if (summary && !flags.json) host.ownProcess?.failureIsShown();
    return outcome;
  } catch (error) {
    if (summary === undefined || !(error instanceof FieldwiseError) || error.kind !== 'usage') throw error;
    await report?.write(summary, of);
    if (flags.json) throw error; // stderr does not show it yet
    host.setExitCode(summary.exitCode);
    return undefined;
  }
}

/**
 * Does what precedes a run, and writes the report that `--output-file report=FILE` asks for if it fails: the program, or its rules.
 *
 * @throws FieldwiseError `report-not-written`, and the errors of the work.
 */
export async function reportFailure<Result>(
  flags: { readonly report?: string },
  host: Host,
  { verb, name = '', instance = 'default' }: { readonly verb: RunReport['verb']; readonly name?: string; readonly instance?: string },
  work: () => Promise<Result>,
): Promise<Result> {
  if (flags.report === undefined) return work();
  const file = reportFile(flags.report, host.cwd);
  try {
    return await work();
  } catch (error) {
    const { preventedReport } = await import('../../deploy/deploy/report.js');
    await file.write(preventedReport(thisMachine, verb, host.ownProcess?.failure ?? error, { app: name, instance, server: '' }));
    throw error;
  }
}

async function reportInto(name: string, host: Host) {
  const { ReportCollector } = await import('../../deploy/deploy/report.js');
  const file = reportFile(name, host.cwd);
  const collector = new ReportCollector(thisMachine);
  return {
    collecting: collector.tee,
    write: (summary: RunSummary, of: Parameters<typeof collector.finish>[1]) => file.write(collector.finish(summary, of)),
  };
}

/** Checks the directory of a report before the run, because a deploy cannot be repeated to get a lost report. */
function reportFile(name: string, cwd: string): { write(report: RunReport): Promise<void> } {
  const file = path.resolve(cwd, name);
  try {
    requireWritable(file);
  } catch (cause) {
    throw notWritten('usage', name, cause, 'Nothing was changed. Pass a file in a directory that exists and is writable.');
  }
  return {
    async write(report) {
      try {
        await writeWhole(file, `${JSON.stringify(report, undefined, 2)}\n`);
      } catch (cause) {
        throw notWritten('resource', name, cause, 'The run itself was completed. To get the same data on standard output, use -o json.');
      }
    },
  };
}

function notWritten(kind: 'usage' | 'resource', file: string, cause: unknown, next: string): FieldwiseError {
  return new FieldwiseError('report-not-written', kind, `The report cannot be written: ${(cause as Error).message}`, {
    location: { file },
    next,
    cause,
  });
}
