/**
 * The strategy `dynamic`: a client-side three-way merge, for objects that the server does not merge or whose list types it does not know.
 */
export type { ListKeys, ListRule, ListRuleSources, ListRules } from './list-rules.js';
export { conventionalKeys, listRules } from './list-rules.js';
export { mergePatchOf } from './merge-patch.js';
export type { DigestKey } from './secret-digests.js';
export {
  digestKey,
  digestSecretValues,
  equalsStored,
  hasSecretValues,
  isUnverifiable,
  resolveDigests,
} from './secret-digests.js';
export type { ThreeWayResult } from './three-way.js';
export { threeWayMerge } from './three-way.js';
export type {
  CollateralValue,
  ContestedField,
  RetainedField,
  ThreeWayInput,
} from './three-way-result.js';
