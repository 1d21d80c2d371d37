import { StaleRead } from '../storage/store.js';

type PolicyModule = typeof import('./index.js');

let loaded: PolicyModule | undefined;

/** Loads the code that compiles and evaluates policies. It is loaded with the first policy, because most servers have none. */
export async function loadPolicyModule(): Promise<void> {
  loaded ??= await import('./index.js');
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
