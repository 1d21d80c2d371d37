import { deferredCode } from '../../util/deferred-code.js';

/** The code that compiles and evaluates policies. It is loaded with the first policy, because most servers have none. */
export const policyModule = deferredCode('the code for policies', () => import('./index.js'));
