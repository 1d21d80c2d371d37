import { type ClusterClient, toleratedDifferenceMs } from '../../kubernetes/index.js';
import { durationText } from '../../util/duration-text.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';

/** Returns how the clock of this machine differs from the server's, such as `3 days ahead`; undefined if it does not by more than some minutes. */
export function clockDifferenceText(cluster: Pick<ClusterClient, 'clockDifference'>): string | undefined {
  const difference = cluster.clockDifference();
  if (difference === undefined || Math.abs(difference) <= toleratedDifferenceMs) return undefined;
  return `${durationText(Math.abs(difference))} ${difference > 0 ? 'ahead' : 'behind'}`;
}

/** Returns the warning of a run that records times which are wrong, because the clock of this machine is. */
export function clockWarning(cluster: Pick<ClusterClient, 'clockDifference'>): readonly RunDiagnostic[] {
  const difference = clockDifferenceText(cluster);
  if (difference === undefined) return [];
  return [
    {
      event: 'warning',
      code: 'clock-differs',
      message: `The clock of this machine is ${difference}, compared with that of the API server: the history of the stacks gets wrong times`,
      next: 'Set the clock of this machine.',
    },
  ];
}
