import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { AdoptionRecord, EventHost, Question } from '../../deploy/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { ClusterFlags } from '../cluster/open-cluster.js';
import type { Config } from '../config/config.js';
import type { DocumentFlags } from '../config/document-source.js';
import { defaultWaitLock, type OutputFileFlag, outputFileOf } from '../config/flags.js';
import { linkIn } from '../files/link-in.js';
import { writeWhole } from '../files/write-whole.js';
import type { AdoptLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { lockWaitText } from '../render/run-renderer.js';
import { warningRenderer } from '../render/warning-renderer.js';

/** The flags of `fieldwise adopt`. */
export interface AdoptFlags extends ClusterFlags, OutputFileFlag, Pick<DocumentFlags, 'file'> {
  readonly from?: readonly string[];
  readonly fromApplyset?: string;
  readonly leaveUndeclared?: boolean;
  readonly undo?: string;
  readonly stale?: boolean;
  readonly yes?: boolean;
  readonly withDeletion?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly waitLock?: number | true;
  readonly takeOver?: string;
  readonly concurrency?: number;
  readonly strategy?: string;
  readonly report?: string;
}

/** Refuses flags that have no effect in a mode. @throws FieldwiseError `flag-without-use`. */
export function requireOnly(mode: string, others: Readonly<Record<string, unknown>>): void {
  const useless = Object.keys(others).find((name) => others[name] !== undefined);
  if (useless === undefined) return;
  throw new FieldwiseError('flag-without-use', 'usage', `${useless} has no effect with ${mode}`, { next: 'Leave one of them out.' });
}

/** Returns the answer to a question that only this command asks. */
export async function answer(
  question: Pick<Question, 'text' | 'objects'>,
  { yes, file }: Pick<AdoptFlags, 'yes' | 'file'>,
  host: Host,
): Promise<boolean> {
  const { confirmAtTerminal } = await import('../render/confirm.js');
  const { answerTo } = await import('../../engine/run/answer.js');
  return answerTo({ ...question, answeredByPruneSetting: false }, { yes: yes === true, confirm: confirmAtTerminal(host, file) });
}

/** Returns the options of an adoption that ask for the right to delete objects and write the record. */
export function adoptionHost(flags: AdoptFlags, config: Config, host: Host) {
  return {
    ...lockOptions(flags, config.inventory.namespace, host),
    confirmLifecycle: async (objects: readonly string[]) => {
      if (flags.withDeletion !== undefined) return flags.withDeletion;
      if (flags.yes) return false; // --yes agrees to new owners, not to deletions
      const text =
        'These objects existed before their stacks. When they are no longer declared, their stacks release them and do not delete them. Let the stacks delete them';
      return answer({ text, objects }, { file: flags.file }, host);
    },
    record: async (made: AdoptionRecord) => {
      const { recordJson } = await import('../../deploy/adopt/record.js');
      const named = outputFileOf(flags, 'record');
      const file = named === undefined ? ownRecord(config.directory, made.time) : path.resolve(host.cwd, named);
      await writeRecord(file, recordJson(made));
      if (flags.json) jsonRenderer<AdoptLine>(host)({ event: 'record', file });
      else host.stdout(`record: ${file}\n`);
    },
  };
}

/** Returns the options of a command that locks stacks. */
export function lockOptions(flags: AdoptFlags, inventoryNamespace: string, host: Host) {
  const { waitLock } = flags;
  return {
    inventoryNamespace,
    signal: host.signal,
    ...(waitLock === undefined ? {} : { lockTimeoutSeconds: waitLock === true ? defaultWaitLock : waitLock }),
  };
}

/** Returns the receiver of events, which prints warnings and the wait for a lock. */
export function retriesTo(host: Host): EventHost {
  const warning = warningRenderer(host);
  return (event) => {
    if (event.event === 'warning') warning(event);
    if (event.event === 'waiting-for-lock') host.stderr(`${lockWaitText(event)}\n`);
  };
}

/** Prints what nobody confirmed as JSON: the error, then its objects; a person has seen the preview. */
export function printRefused(error: unknown, objects: readonly AdoptLine[], flags: AdoptFlags, host: Host): never {
  if (flags.json && error instanceof FieldwiseError && error.code === 'confirmation-needed') {
    const { code, message, next } = error;
    const print = jsonRenderer<AdoptLine>(host);
    print({ event: 'refused', error: { code, message, ...(next === undefined ? {} : { next }) } });
    for (const object of objects) print(object);
  }
  throw error;
}

/** @throws FieldwiseError `record-not-written` if the directory is a link, which a clone may have brought. */
function ownRecord(project: string, time: string): string {
  const link = linkIn(project, '.fieldwise');
  if (link === undefined) return path.join(project, '.fieldwise', `adopt-${time.replaceAll(':', '-')}.json`);
  throw new FieldwiseError('record-not-written', 'usage', 'The record is not written through a link', {
    location: { file: link },
    next: 'A clone may have brought it. Nothing was changed. Remove the link, or name a file with --output-file record=FILE.',
  });
}

async function writeRecord(file: string, record: object): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeWhole(file, `${JSON.stringify(record, undefined, 2)}\n`, 0o600);
  } catch (cause) {
    throw new FieldwiseError('record-not-written', 'usage', `The record cannot be written: ${(cause as Error).message}`, {
      location: { file },
      next: 'Nothing was changed. Name another file with --output-file record=FILE.',
      cause,
    });
  }
}
