/** A replacement in what a command printed, before it is compared. */
export type Replacement = readonly [pattern: RegExp | string, text: string];

/** One command of a scenario. A text is a command without further members. */
export interface KubectlStep {
  /** The words after `kubectl`. Single quotes keep spaces, and there are no others. */
  readonly run: string;
  readonly stdin?: string;
  /** Program to which a command gives a file to edit. */
  readonly editor?: string;
  /** The command runs until it is ended, after so many seconds. */
  readonly seconds?: number;
  /** Commands that run one after the other while this one runs. */
  readonly beside?: readonly string[];
  /** A name for what it printed: `$name` in a later command or in its input. */
  readonly keep?: string;
  /** What differs on every run, beyond what `normalize` replaces. */
  readonly replaces?: readonly Replacement[];
  /** What is compared of a long output. */
  readonly reduce?: (output: string) => string;
}

/** Commands that run one after the other, in a namespace and a directory of their own. */
export interface KubectlScenario {
  /** The name of its namespace, too. */
  readonly name: string;
  /** Content by file name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly (string | KubectlStep)[];
  /** Runs before all others: its output shows objects or definitions of other scenarios. */
  readonly first?: boolean;
}

/** What a command printed, and its exit code. */
export interface KubectlResult {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export function stepOf(step: string | KubectlStep): KubectlStep {
  return typeof step === 'string' ? { run: step } : step;
}
