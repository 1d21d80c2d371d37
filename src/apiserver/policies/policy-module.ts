import { deferredCode } from '../../util/deferred-code.js';
import { StaleRead } from '../storage/store.js';

/** The code that compiles and evaluates policies. It is loaded with the first policy, because most servers have none. */
export const policyModule = deferredCode(() => import('./index.js'));

/**
 * Returns the code for policies.
 *
 * @throws StaleRead if the first policy was written since `prepareValidation`, which loads the code when the request is handled again
 */
export function requiredPolicyModule(): typeof import('./index.js') {
  if (policyModule.loaded === undefined) throw new StaleRead();
  return policyModule.loaded;
}
