import type { ProgramInput } from '../../assembly/program-input.js';
import { ApiError } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import type { HistoryStore } from './history-store.js';
import { type RevisionBody, unpackBody } from './revision-body.js';

/** The last revision of a stack, with its declarations. */
export interface LastRevision {
  readonly revision: number;
  readonly inputs: readonly ProgramInput[] | undefined;
  /** The revision to which it went back. */
  readonly rollbackTo: number | undefined;
  readonly body: RevisionBody;
}

/**
 * Reads the last revision of a stack.
 *
 * @param names the identity of the stack, then its former ones, under which its history is until its next deploy.
 * @returns undefined if there is none, or its declarations are not stored or cannot be read.
 */
export async function readLastRevision(store: HistoryStore, names: readonly StackIdentity[]): Promise<LastRevision | undefined> {
  try {
    for (const name of names) {
      const history = await store.read(name);
      const last = history.revisions.at(-1);
      if (last === undefined) continue;
      if (last.body === undefined) return undefined;
      const { revision, inputs, rollbackTo, body } = last;
      return { revision, inputs, rollbackTo, body: await unpackBody(name, revision, await store.readBody(history, body)) };
    }
  } catch (error) {
    // Nothing is concluded from it: whoever compares says with what.
    if (!(error instanceof ApiError) && !(error instanceof FieldwiseError && unreadable.has(error.code))) throw error;
  }
  return undefined;
}

const unreadable: ReadonlySet<string> = new Set(['history-damaged', 'history-forbidden', 'inventory-forbidden']);
