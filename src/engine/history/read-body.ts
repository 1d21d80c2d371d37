import type { HistoryStore, StackHistory } from './history-store.js';
import type { Revision } from './revision.js';
import { type RevisionBody, unpackBody } from './revision-body.js';

/** Reads the declarations of a revision. @throws FieldwiseError `history-damaged`, `history-forbidden`. */
export async function readBody(
  { store, history }: { readonly store: HistoryStore; readonly history: StackHistory },
  revision: Revision,
): Promise<RevisionBody> {
  const packed = await store.readBody(history, revision.body as NonNullable<Revision['body']>);
  return unpackBody(history.stack, revision.revision, packed);
}
