/** `fieldwise/testing`: an API server for each test, and matchers for owners, releases, plans and conflicts. See docs/testing.md. */

export type { ApiResponse, InProcessRequest } from '../apiserver/index.js';
export type { DeployOptions, DestroyOptions, Plan, PlanOptions, RunReport } from '../entry/deploy.js';
export type { Cluster, ClusterApplyOptions } from '../kubernetes/cluster.js';
export { ApiError } from '../kubernetes/index.js';
export { FieldwiseError } from '../util/error.js';
export type { Json, JsonObject } from '../util/json.js';
export type * from '../util/platform-types.js';
export {
  assertConflictWith,
  assertNoConflictWith,
  assertNotOwnedBy,
  assertOwnedBy,
  assertPlan,
  assertReleasesOnly,
  assertSucceeded,
} from './assertions.js';
export type { ObjectSource } from './input-objects.js';
export type { FieldManager } from './matchers/field-manager.js';
export type { MatchResult } from './matchers/match-result.js';
export { type FieldwiseMatchers, matchers } from './matchers/matchers.js';
export type { ExpectedChange, ExpectedObject, ExpectedPlan } from './matchers/plan.js';
export type { ExpectedFields } from './matchers/release-only.js';
export type { Program } from './program.js';
export { type TestApplyOptions, type TestCluster, type TestPatchOptions, testCluster } from './test-cluster.js';
export type { TestClusterOptions } from './test-cluster-options.js';
