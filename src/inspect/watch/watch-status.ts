import { identityKey } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { type ObjectStatus, type StatusSummary, summaryOf } from '../status/status.js';
import { type FollowOptions, followObjects } from './follow-objects.js';

/**
 * Reports the status of every object, then of each object whose status changes, until the signal aborts; the summary is the last event.
 *
 * @throws FieldwiseError as `followObjects`.
 */
export async function watchStatus(
  assembly: Assembly,
  cluster: ClusterClient,
  options: Omit<FollowOptions, 'onWarning'>,
  host: (event: ObjectStatus | StatusSummary | RunDiagnostic) => void,
): Promise<StatusSummary> {
  const current = new Map<string, ObjectStatus>();
  await followObjects(assembly, cluster, { ...options, causes: true, onWarning: host }, (observations) => {
    for (const { status } of observations) {
      const key = `${status.stack} ${identityKey(status)}`;
      const known = current.get(key);
      current.set(key, status);
      if (known === undefined || JSON.stringify(known) !== JSON.stringify(status)) host(status);
    }
  });
  const summary = summaryOf([...current.values()]);
  host(summary);
  return summary;
}
