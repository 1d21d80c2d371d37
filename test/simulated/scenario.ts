import type { ResponseBody } from '../harness/api-client.js';

/** A change of a workload, and the state in which the next one comes. */
export interface Step {
  readonly name: string;
  /** A merge patch; absent for the first step, which creates the workload. */
  readonly patch?: object;
  /** Returns true once the workload is as this step leaves it. */
  readonly until: (workload: ResponseBody) => boolean;
}

/** A workload whose life is recorded. */
export interface Scenario {
  readonly name: string;
  readonly workload: { readonly apiVersion: string; readonly kind: string; readonly spec: object };
  readonly steps: readonly Step[];
  /** What its namespace has from the start is recorded, too. */
  readonly recordsNamespace?: boolean;
  /** It belongs to the sample that is run with all other tests. */
  readonly inSample?: boolean;
}
