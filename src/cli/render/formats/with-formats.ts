import type { FormatFlags } from '../../config/flags.js';
import type { Host } from '../../process/host.js';
import { reportError } from '../report-error.js';
import type { FormatOutputs, RunRecord } from './format-outputs.js';

/**
 * Runs a command that prints in several formats, and writes them even if it fails.
 *
 * @param run receives nothing if the flags ask for no format beside text and JSON on standard output.
 * @throws FieldwiseError `report-not-written`, and the errors of the command.
 */
export async function withFormats(
  verb: 'plan' | 'deploy',
  flags: FormatFlags,
  host: Host,
  run: (formats?: FormatOutputs) => Promise<void>,
): Promise<void> {
  const { output = 'text', outputFile = [] } = flags;
  if (outputFile.length === 0 && (output === 'text' || output === 'json')) return run();
  const { FormatOutputs } = await import('./format-outputs.js');
  const formats = new FormatOutputs(verb, flags, host);
  try {
    await run(formats);
  } catch (error) {
    if (formats.isEmpty) await (await formats.begin()).fail(error);
    await formats.write().catch((unwritten: unknown) => reportError(unwritten, host));
    throw error;
  }
  await formats.write();
}

/** Runs a plan or a deploy, and records the error with which it ends. A plan is given up where the program fails late. */
export async function recorded(
  verb: 'plan' | 'deploy',
  record: RunRecord | undefined,
  { ownProcess }: Pick<Host, 'ownProcess'>,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await (verb === 'plan' && ownProcess ? ownProcess.orFailLate(run()) : run());
    if (ownProcess?.failure) throw ownProcess.failure;
  } catch (thrown) {
    const error = ownProcess?.failure ?? thrown;
    await record?.fail(error);
    throw error;
  }
}
