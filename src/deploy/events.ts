import type { Declaration } from '../assembly/types.js';
import type { Json } from '../util/json.js';
import type { Place } from './place.js';

/**
 * How a deploy or destroy ended for one object; every object of a run ends in exactly one:
 * - `created`: the server answered 201.
 * - `updated`, `unchanged`: proved by a resourceVersion or by our own managedFields entry known from before.
 * - `applied`: accepted, and nothing proves whether it changed anything.
 * - `deleted`: gone, or going while finalizers hold it (see `finalizers`).
 * - `released`: our fields are given up, the object stays.
 * - `gone`: it was to be deleted or released and was not there any more, or another object has its name.
 * - `conflict`: another manager owns declared fields and the policy is `fail`; nothing of it was changed.
 * - `failed`: refused or not reachable; see `error`.
 * - `skipped`: not attempted; see `reason`.
 */
export type ObjectResult =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'applied'
  | 'deleted'
  | 'released'
  | 'gone'
  | 'conflict'
  | 'failed'
  | 'skipped';

/** A field whose owner declares another value. Values of Secrets are masked. */
export interface FieldConflict {
  /** Path as the server writes it, such as `.spec.replicas`. */
  readonly field: string;
  /** Absent where the field did not exist. */
  readonly oldValue?: Json;
  /** Absent where the field goes. */
  readonly newValue?: Json;
  /** The other owner's field manager. */
  readonly from: string;
  readonly operation: 'Apply' | 'Update';
  /** Absent for owners through the object itself. */
  readonly subresource?: string;
}

export interface ReportedError {
  /** Stable; listed in docs/errors.md. */
  readonly code: string;
  readonly message: string;
  readonly next?: string;
  /** The server's answer, where it was one. */
  readonly status?: { readonly code: number; readonly reason: string };
}

/** What became of one object. */
export interface ObjectReport extends Place {
  readonly event: 'object';
  readonly result: ObjectResult;
  /** `own` met an object that was there already: its other owners. On destroy it is only released. */
  readonly adopted?: { readonly owners: readonly string[] };
  /** A share met another object of the same name than last time and joined it. */
  readonly rejoined?: true;
  /** Conflicts won by force. */
  readonly taken: readonly FieldConflict[];
  /** Conflicts left to their owner by the policy `yield`. */
  readonly yielded: readonly FieldConflict[];
  /** Conflicts that stopped this object under the policy `fail`. */
  readonly conflicts: readonly FieldConflict[];
  /** Finalizers that still hold a deleted object. */
  readonly finalizers?: readonly string[];
  /** Why it was skipped, or released instead of deleted. */
  readonly reason?: string;
  readonly error?: ReportedError;
  /** The server's warnings. */
  readonly warnings: readonly string[];
  readonly declaredBy: readonly Declaration[];
}

/** A report in which nothing happened yet. */
export const untouched = { event: 'object', taken: [], yielded: [], conflicts: [], warnings: [], declaredBy: [] } as const;

export interface RunStarted {
  readonly event: 'started';
  readonly verb: 'deploy' | 'destroy';
  readonly app: string;
  readonly instance: string;
  readonly stacks: readonly string[];
  readonly server: string;
  readonly objects: number;
}

/** Something takes time; for a person to see. */
export interface Waiting {
  readonly event: 'waiting';
  readonly stack: string;
  readonly object: string;
  readonly for: 'object' | 'established';
  readonly seconds: number;
}

export interface RunSummary {
  readonly event: 'summary';
  readonly verb: 'deploy' | 'destroy';
  readonly counts: Readonly<Partial<Record<ObjectResult, number>>>;
  readonly taken: number;
  readonly adopted: number;
  readonly ok: boolean;
  readonly exitCode: number;
  /** What went wrong beside single objects, such as an inventory that could not be written. */
  readonly errors: readonly ReportedError[];
}

export type DeployEvent = RunStarted | Waiting | ObjectReport | RunSummary;

/** Receives events as they happen; the engine itself prints nothing. */
export type EventHost = (event: DeployEvent) => void;
