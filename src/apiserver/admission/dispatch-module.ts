import { deferredCode } from '../../util/deferred-code.js';
import { policyModule } from '../policies/policy-module.js';

type DispatchModule = typeof import('./policy-dispatcher.js') &
  typeof import('./policy-review.js') &
  typeof import('./webhook-conditions.js');

/** The code that lets policies and match conditions decide on requests; that which evaluates them is loaded with it. */
export const dispatchModule = deferredCode('the code that lets policies decide', async (): Promise<DispatchModule> => {
  const [dispatcher, review, conditions] = await Promise.all([
    import('./policy-dispatcher.js'),
    import('./policy-review.js'),
    import('./webhook-conditions.js'),
    policyModule.load(),
  ]);
  return { ...dispatcher, ...review, ...conditions };
});
