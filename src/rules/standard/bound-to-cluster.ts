import { deny, type Rule } from '../rule.js';

/** Denies every change of a plan that is bound to no cluster, because no uid of its cluster could be read or compared. */
export function boundToCluster(): Rule {
  return deny((change) => change.cluster === undefined, {
    name: 'bound-to-cluster',
    message: 'the plan is bound to no cluster, so nothing shows whether a deploy meets the one for which it was made',
  });
}
