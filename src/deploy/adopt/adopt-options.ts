import type { RunOptions } from '../../engine/run/options.js';
import type { Adoption } from './carry-out-adoptions.js';
import type { AdoptionRecord } from './record.js';

/** The options of an adoption. */
export interface AdoptOptions
  extends Pick<RunOptions, 'stacks' | 'inventoryNamespace' | 'concurrency' | 'lockTimeoutSeconds' | 'leaseDurationSeconds' | 'signal'> {
  /**
   * Whose ownership ends: `kubectl`, the exact name of a field manager, also as `manager:NAME`, or one stack as `stack:NAME`.
   *
   * @default the managers of kubectl without server-side apply, in objects that the stacks have deployed
   */
  readonly from?: readonly string[];
  /** Objects (`Kind/name`) and paths (`.spec.replicas`) to adopt; empty for all fields that the stacks declare. */
  readonly limits?: readonly string[];
  /** Options of the deploy of objects whose fields a stack does not own yet; see `adopt`. */
  readonly run?: Omit<RunOptions, 'stacks' | 'targets' | 'plan' | 'pruneStacks' | 'wait' | 'forces'>;
  /** Receives the planned adoptions before anything is changed; resolves to true if they may be carried out. */
  readonly confirm: (adoptions: readonly Adoption[], deletable?: readonly string[]) => Promise<boolean>;
  /**
   * Receives the objects that would only be released when they are no longer declared, because they existed before their stack; resolves to
   * true if their stack may delete them from now on. Absent means no.
   */
  readonly confirmLifecycle?: (objects: readonly string[]) => Promise<boolean>;
  /** Stores the record of the adoption before the first change; if it throws, nothing is changed. */
  readonly record: (record: AdoptionRecord) => Promise<void>;
}
