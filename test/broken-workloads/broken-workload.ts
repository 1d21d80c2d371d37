import type { Declared } from '../harness/program-text.js';
import type { PodLife } from './fake-kubelet.js';

/** A workload that does not become ready, and what its deploy must say. */
export interface BrokenWorkload {
  readonly name: string;
  /** What another manager has applied before: the namespace is labeled, a quota exists. */
  readonly before?: { readonly labels?: Readonly<Record<string, string>>; readonly objects?: readonly object[] };
  /** The declarations of each stack. */
  readonly stacks: Readonly<Record<string, readonly Declared[]>>;
  /** The life of each of its pods; absent where there are none. */
  readonly life?: PodLife;
  /** The log of the container. */
  readonly log?: string;
  /** The beginning of the line of the failure. */
  readonly failure: RegExp;
  /** The end of the path of the field that is to blame. */
  readonly field: string;
  /** The stack and the position of its declaration. */
  readonly declared: { readonly stack: string; readonly index: number };
  /** Seconds for which docs/deploy.md says that it must be seen; absent where the pod or the workload itself shows that it is certain. */
  readonly certainAfterSeconds?: number;
  /** It takes minutes: run with `--long`. */
  readonly isLong?: boolean;
  /** It belongs to the sample that is run with all other tests. */
  readonly inSample?: boolean;
}
