import type { StackManifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { HistoryStore, StackHistory } from './history-store.js';
import type { DraftRevision } from './plan-list.js';
import type { Revision } from './revision.js';
import { digestOfBody, packBody, unpackBody } from './revision-body.js';

/** A renamed stack, with the place of its history. */
export interface RenamedStack {
  readonly store: HistoryStore;
  readonly stack: StackManifest;
  /** The former names whose histories are the stack's. */
  readonly former: readonly StackIdentity[];
  readonly onWarning: (warning: RunDiagnostic) => void;
}

/**
 * Returns the revisions with which a renamed stack goes on: those of its former name, with their numbers, and with their declarations under
 * the new name. Writes nothing; the former history stays as it is.
 *
 * @param history the history of the new name; nothing moves if it has revisions, or no former name has any.
 * @throws FieldwiseError `history-forbidden`; ApiError.
 */
export async function movedRevisions(renamed: RenamedStack, history: StackHistory): Promise<readonly DraftRevision[]> {
  if (history.revisions.length > 0) return [];
  for (const identity of renamed.former) {
    const former = await renamed.store.read(identity);
    if (former.revisions.length === 0) continue;
    const moved: DraftRevision[] = [];
    for (const revision of former.revisions) moved.push(await movedRevision(renamed, history.stack, former, revision));
    return moved;
  }
  return [];
}

/** Returns a revision under the new name; without its declarations, and with a warning, if they are damaged. */
async function movedRevision(
  { store, stack, onWarning }: RenamedStack,
  identity: StackIdentity,
  former: StackHistory,
  { body: stored, ...revision }: Revision,
): Promise<DraftRevision> {
  if (stored === undefined) return { revision };
  try {
    const body = await unpackBody(former.stack, revision.revision, await store.readBody(former, stored));
    const renamed = { ...body, stack: { ...body.stack, name: stack.name, manager: stack.manager } };
    return { revision: { ...revision, digest: digestOfBody(renamed) }, body: packBody(identity, renamed) };
  } catch (error) {
    if (!(error instanceof FieldwiseError) || error.code !== 'history-damaged') throw error;
    onWarning({ event: 'warning', code: error.code, message: error.message, ...(error.next === undefined ? {} : { next: error.next }) });
    return { revision };
  }
}
