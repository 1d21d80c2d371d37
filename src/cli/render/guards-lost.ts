import type { CheckedGuard } from '../../inspect/guard/index.js';
import type { Config } from '../config/config.js';

/** Returns true where no stack has a guard although the project says who passes them: somebody has deleted them, or they were never applied. */
export function areGuardsLost(guards: readonly CheckedGuard[], { guard, cluster }: Pick<Config, 'guard' | 'cluster'>): boolean {
  const isConfigured = cluster !== 'embedded' && (guard.deployers !== undefined || guard.breakGlass !== undefined);
  return isConfigured && guards.length > 0 && guards.every(({ state }) => state === 'none');
}

export const guardsLostText =
  'no stack of the program has a guard in the cluster, although fieldwise.yaml has `guard`: they were deleted, or never applied';
