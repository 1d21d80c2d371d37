import type { ProgramInput } from '../../assembly/program-input.js';
import type { Outcome } from '../../util/outcome.js';
import type { ClusterIdentity } from '../inventory/cluster-identity.js';

/** A deploy of one stack, as its history records it. */
export interface Revision {
  /** Counts from 1; a number is never used again. */
  readonly revision: number;
  /** The end of the deploy, in RFC 3339. */
  readonly at: string;
  /** A digest of the stack as it was declared: equal for equal declarations, wherever they stand in the program. */
  readonly digest: string;
  readonly result: 'succeeded' | 'failed';
  /** The number of objects by outcome. */
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  /** The user, as the server or else the kubeconfig names it. */
  readonly by?: string;
  /** The uids of the cluster; absent if none could be read. */
  readonly cluster?: ClusterIdentity;
  /** The commit of the program; of a rollback, the one that was checked out. */
  readonly commit?: string;
  /**
   * True if the working tree differed from that commit; `unknown` if Git did not tell: then the commit is that of the CI service, or absent. Absent if the
   * working tree did not differ, or an earlier version recorded the revision.
   */
  readonly uncommittedChanges?: true | 'unknown';
  /** The first line of the message of that commit. */
  readonly subject?: string;
  /** The identity of the deploy, which the revisions of all its stacks share; absent if an earlier version recorded the revision. */
  readonly run?: string;
  /** The revision to which this deploy went back. */
  readonly rollbackTo?: number;
  /** The inputs that the program had read; absent if there were none, or an earlier version recorded the revision. */
  readonly inputs?: readonly ProgramInput[];
  /** Absent if the declarations are not stored, because they were too large or others took their place. */
  readonly body?: StoredBody;
}

/** The place of the declarations of a revision. */
export interface StoredBody {
  /** Numbers of the Secrets that contain it, in order. */
  readonly slots: readonly number[];
  /** Compressed. */
  readonly bytes: number;
  /** SHA-256 of the compressed bytes, in hex. */
  readonly sha256: string;
}

/** The limits of a stack's history. */
export interface HistoryLimits {
  /** The number of revisions. @default 10 */
  readonly keep?: number;
  /** The compressed bytes of all stored declarations of the stack. @default 4 MiB */
  readonly maxBytes?: number;
}

export const defaultKeep = 10;
export const maxKeep = 100;
export const defaultMaxBytes = 4 * 2 ** 20;
export const maxMaxBytes = 64 * 2 ** 20;

/** The bytes in one Secret, which may contain 1 MiB with its metadata. */
export const slotBytes = 512 * 1024;

/** Returns the revision of a stack that was deployed when a run had ended; undefined if there was none. */
export function revisionAt(revisions: readonly Revision[], run: string | undefined, end: number): Revision | undefined {
  const ofRun = run === undefined ? undefined : revisions.findLast((one) => one.run === run);
  return ofRun ?? revisions.findLast(({ at }) => Date.parse(at) <= end);
}

/** Returns the numbers of the Secrets that contain the declarations of revisions. */
export function slotsOf(revisions: readonly Revision[]): ReadonlySet<number> {
  return new Set(revisions.flatMap(({ body }) => body?.slots ?? []));
}
