import type { Assembly } from '../../assembly/types.js';
import { HistoryStore } from '../../engine/history/history-store.js';
import type { Revision } from '../../engine/history/revision.js';
import { unknownHistoryWarnings } from '../../engine/history/unknown-history.js';
import { namedHistories } from '../../engine/prepare/named-histories.js';
import type { HistorySelection } from '../../engine/prepare/open-revision.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { timeWarnings } from './time-warnings.js';

/** A revision of a stack, as it is listed. */
export interface ListedRevision extends Omit<Revision, 'body'> {
  readonly event: 'revision';
  /** Its name, or APP/INSTANCE/NAME if it belongs to another program. */
  readonly stack: string;
  /** The program does not declare the stack. */
  readonly undeclared?: true;
  /** True for the last revision of its stack. */
  readonly current: boolean;
  /** True if a rollback to it is possible. */
  readonly stored: boolean;
  /** The compressed bytes of its declarations; 0 if they are not stored. */
  readonly bytes: number;
  /** The Secret that lists it, if the inventory of the stack knows nothing of this list: others may have made it. */
  readonly unknown?: string;
}

/**
 * Returns the revisions of the selected stacks, in the order of the stacks, the newest first. A name may also be that of a stack in the cluster. Changes nothing.
 *
 * @throws FieldwiseError `stack-unknown` (usage), `history-damaged`, `history-forbidden`.
 */
export async function listRevisions(
  program: Assembly,
  cluster: ClusterClient,
  { stacks: names, inventoryNamespace }: HistorySelection,
  onWarning: (warning: RunDiagnostic) => void,
): Promise<readonly ListedRevision[]> {
  const store = new HistoryStore(cluster, inventoryNamespace);
  const { app, instance } = program.manifest;
  return (await namedHistories(program, store, names, { all: true })).flatMap(({ history, declared }) => {
    const { stack, revisions, unknown } = history;
    for (const warning of [...unknownHistoryWarnings(history, store.namespace), ...timeWarnings(history, cluster.machine.wall())])
      onWarning(warning);
    const last = revisions.at(-1);
    const isOurs = stack.app === app && stack.instance === instance;
    const listed = ({ body, ...revision }: Revision): ListedRevision => ({
      event: 'revision',
      stack: isOurs ? stack.stack : `${stack.app}/${stack.instance}/${stack.stack}`,
      ...(declared === undefined ? { undeclared: true as const } : {}),
      ...revision,
      current: false,
      stored: body !== undefined,
      bytes: body?.bytes ?? 0,
    });
    return [
      ...revisions.toReversed().map((revision) => ({ ...listed(revision), current: revision === last })),
      ...unknown.flatMap((list) => list.revisions.toReversed().map((revision) => ({ ...listed(revision), unknown: list.name }))),
    ];
  });
}
