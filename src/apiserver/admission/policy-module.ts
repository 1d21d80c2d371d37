import { StaleRead } from '../storage/store.js';

type PolicyModule = typeof import('./policies/index.js') &
  typeof import('./policy-dispatcher.js') &
  typeof import('./policy-review.js') &
  typeof import('./webhook-conditions.js');

let loaded: PolicyModule | undefined;

/** Loads the code that compiles and evaluates policies. It is loaded with the first policy, because most servers have none. */
export async function loadPolicyModule(): Promise<void> {
  const [policies, dispatcher, review, conditions] = await Promise.all([
    import('./policies/index.js'),
    import('./policy-dispatcher.js'),
    import('./policy-review.js'),
    import('./webhook-conditions.js'),
  ]);
  loaded ??= { ...policies, ...dispatcher, ...review, ...conditions };
}

export function isPolicyModuleLoaded(): boolean {
  return loaded !== undefined;
}

/**
 * Returns the code for policies.
 *
 * @throws StaleRead if the first policy was written since `prepareValidation`, which loads the code when the request is handled again
 */
export function requiredPolicyModule(): PolicyModule {
  if (loaded === undefined) throw new StaleRead();
  return loaded;
}
