import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { HistoryStore } from './history-store.js';

/**
 * Deletes the history of a stack that is removed. Without permission, nothing shows whether there is one, and it stays; a damaged one stays
 * with a warning.
 */
export async function removeHistory(
  cluster: ClusterClient,
  namespace: string | undefined,
  stack: StackIdentity,
  onWarning: (warning: RunDiagnostic) => void,
): Promise<void> {
  try {
    await new HistoryStore(cluster, namespace).remove(stack);
  } catch (error) {
    if (!(error instanceof FieldwiseError) || (error.code !== 'history-damaged' && error.code !== 'history-forbidden')) throw error;
    if (error.code === 'history-forbidden') return;
    onWarning({ event: 'warning', code: error.code, message: error.message, ...(error.next === undefined ? {} : { next: error.next }) });
  }
}
