import type { StackManifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { HistoryStore, StackHistory } from './history-store.js';
import type { HistoryLimits, Revision } from './revision.js';
import { digestOfBody, packBody, unpackBody } from './revision-body.js';

/** A renamed stack, with the place and the limits of its history. */
export interface RenamedStack {
  readonly store: HistoryStore;
  readonly stack: StackManifest;
  readonly limits: HistoryLimits;
  readonly onWarning: (warning: RunDiagnostic) => void;
}

/**
 * Returns the history with which a renamed stack goes on: the revisions of its former name, with their numbers, and with their declarations
 * under the new name. Stores the declarations; the list is stored with the next revision, and the former history stays as it is.
 *
 * @param history the history of the new name; it is returned unchanged if it has revisions, or no former name has any.
 * @throws FieldwiseError `history-forbidden`; ApiError.
 */
export async function moveHistory(renamed: RenamedStack, history: StackHistory): Promise<StackHistory> {
  if (history.revisions.length > 0) return history;
  for (const former of renamed.stack.formerIdentities ?? []) {
    const { revisions } = (await unlessDamaged(renamed, () => renamed.store.read(former))) ?? { revisions: [] };
    if (revisions.length > 0) return moveRevisions(renamed, history, former, revisions);
  }
  return history;
}

async function moveRevisions(
  renamed: RenamedStack,
  history: StackHistory,
  former: StackIdentity,
  revisions: readonly Revision[],
): Promise<StackHistory> {
  const moved: Revision[] = [];
  for (const revision of revisions) {
    const { body: _, ...others } = revision;
    moved.push((await unlessDamaged(renamed, () => moveRevision(renamed, { ...history, revisions: moved }, former, revision))) ?? others);
  }
  return { ...history, revisions: moved };
}

async function moveRevision(
  { store, stack, limits }: RenamedStack,
  history: StackHistory,
  former: StackIdentity,
  revision: Revision,
): Promise<Revision> {
  if (revision.body === undefined) return revision;
  const body = await unpackBody(former, revision.revision, await store.readBody(former, revision.body));
  const renamed = { ...body, stack: { ...body.stack, name: stack.name, manager: stack.manager } };
  const { body: _, ...others } = revision;
  const stored = await store.storeBody(history, await packBody(history.stack, renamed), limits);
  return { ...others, digest: digestOfBody(renamed), ...(stored ? { body: stored } : {}) };
}

/** @returns undefined, with a warning, if what is read is damaged. */
async function unlessDamaged<T>({ onWarning }: RenamedStack, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FieldwiseError) || error.code !== 'history-damaged') throw error;
    onWarning({ event: 'warning', code: error.code, message: error.message, ...(error.next === undefined ? {} : { next: error.next }) });
    return undefined;
  }
}
