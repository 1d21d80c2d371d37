import { loadPolicyModule } from '../policies/policy-module.js';
import { StaleRead } from '../storage/store.js';

type DispatchModule = typeof import('./policy-dispatcher.js') &
  typeof import('./policy-review.js') &
  typeof import('./webhook-conditions.js');

let loaded: DispatchModule | undefined;

/** Loads the code that lets policies and match conditions decide on requests, with that which evaluates them. */
export async function loadDispatchModule(): Promise<void> {
  const [dispatcher, review, conditions] = await Promise.all([
    import('./policy-dispatcher.js'),
    import('./policy-review.js'),
    import('./webhook-conditions.js'),
    loadPolicyModule(),
  ]);
  loaded ??= { ...dispatcher, ...review, ...conditions };
}

export function isDispatchModuleLoaded(): boolean {
  return loaded !== undefined;
}

/** Returns that code. @throws StaleRead as `requiredPolicyModule` does */
export function requiredDispatchModule(): DispatchModule {
  if (loaded === undefined) throw new StaleRead();
  return loaded;
}
