import type { Assembly } from '../../assembly/types.js';
import { HistoryStore } from '../../engine/history/history-store.js';
import type { HistorySelection } from '../../engine/history/open-revision.js';
import type { Revision } from '../../engine/history/revision.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import { stackIdentityOf } from '../../engine/run/prepare-run.js';
import { selectStacks } from '../../engine/target/select-stacks.js';
import type { ClusterClient } from '../../kubernetes/index.js';

/** A revision of a stack, as it is listed. */
export interface ListedRevision extends Omit<Revision, 'body'> {
  readonly event: 'revision';
  readonly stack: string;
  /** True for the last revision of its stack. */
  readonly current: boolean;
  /** True if a rollback to it is possible. */
  readonly stored: boolean;
  /** The compressed bytes of its declarations; 0 if they are not stored. */
  readonly bytes: number;
}

/**
 * Returns the revisions of the selected stacks, in the order of the stacks, the newest first. Changes nothing.
 *
 * @throws FieldwiseError `stack-unknown` (usage), `history-damaged`, `history-forbidden`.
 */
export async function listRevisions(
  program: Assembly,
  cluster: ClusterClient,
  { stacks: names, inventoryNamespace }: HistorySelection,
): Promise<readonly ListedRevision[]> {
  const store = new HistoryStore(cluster, inventoryNamespace);
  const stacks = selectStacks(program, names);
  const listed: (readonly ListedRevision[])[] = [];
  await forEachConcurrent([...stacks.entries()], defaultConcurrency, async ([position, stack]) => {
    const { revisions } = await store.read(stackIdentityOf(program, stack));
    const last = revisions.at(-1);
    listed[position] = revisions.toReversed().map(({ body, ...revision }) => ({
      event: 'revision',
      stack: stack.name,
      ...revision,
      current: revision.revision === last?.revision,
      stored: body !== undefined,
      bytes: body?.bytes ?? 0,
    }));
  });
  return listed.flat();
}
