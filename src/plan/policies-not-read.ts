import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';
import type { SnapshotPolicies } from './snapshot-policies.js';

/**
 * Returns the warning of a plan that has no policies of its cluster; undefined if it has them, be they none.
 *
 * @param isSnapshot true for those of a snapshot; others were read for this plan.
 */
export function policiesNotRead(policies: SnapshotPolicies | undefined, isSnapshot = true): RunDiagnostic | undefined {
  if (policies !== undefined && policies.forbidden === undefined) return undefined;
  if (!isSnapshot) {
    return {
      event: 'warning',
      code: 'policies-not-read',
      message: `The admission policies of the cluster are not evaluated, because these credentials may not list ${policies?.forbidden}`,
      next: 'Plan with the right to list policies and their bindings (docs/policies.md).',
    };
  }
  const why = policies === undefined ? 'it is of an older version' : `these credentials may not list ${policies.forbidden}`;
  return {
    event: 'warning',
    code: 'policies-not-read',
    message: `The snapshot has no admission policies of the cluster, because ${why}: they are not evaluated`,
    next: 'Take the snapshot again, with the right to list policies and their bindings (docs/policies.md).',
  };
}
