import { accessSync, constants } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EventHost, RunReport, RunSummary } from '../deploy/index.js';
import { FieldwiseError } from '../util/error.js';
import type { Host } from './host.js';

/**
 * Runs and, where `--report` asks for it, writes what became of each object: also where the run was refused after it had started.
 *
 * @returns undefined where it was refused so, and the text for a person has said why; the exit code is set.
 * @throws FieldwiseError `report-not-written`, and what the run throws.
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
    return outcome;
  } catch (error) {
    if (summary === undefined || !(error instanceof FieldwiseError) || error.kind !== 'usage') throw error;
    await report?.write(summary, of);
    if (flags.json) throw error; // on stderr nobody has told it
    host.setExitCode(summary.exitCode);
    return undefined;
  }
}

async function reportInto(name: string, host: Host) {
  const { ReportCollector } = await import('../deploy/deploy/report.js');
  const file = reportFile(name, host.cwd);
  const collector = new ReportCollector();
  return {
    collecting: collector.tee,
    write: (summary: RunSummary, of: Parameters<typeof collector.finish>[1]) => file.write(collector.finish(summary, of)),
  };
}

/**
 * Where a report goes; checked before anything is changed, because a deploy without its report cannot be repeated.
 */
function reportFile(name: string, cwd: string): { write(report: RunReport): Promise<void> } {
  const file = path.resolve(cwd, name);
  try {
    accessSync(path.dirname(file), constants.W_OK);
  } catch (cause) {
    throw notWritten('usage', name, cause, 'Nothing was changed. Name a file in a directory that exists and can be written.');
  }
  return {
    async write(report) {
      const half = `${file}.${process.pid}.part`;
      try {
        await writeFile(half, `${JSON.stringify(report, undefined, 2)}\n`);
        await rename(half, file);
      } catch (cause) {
        await rm(half, { force: true });
        throw notWritten('resource', name, cause, 'What was deployed stays; --json prints the same.');
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
