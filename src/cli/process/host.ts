import type { ReadStream } from 'node:tty';
import type { OwnProcess } from './own-process.js';

/** The process as a command sees it; tests provide their own. */
export interface Host {
  /** Writes what a command reports, for people: control characters become visible, JSON keeps its data. */
  stdout(text: string): void;
  /** Writes messages: warnings, errors, questions, and what the command waits for. */
  stderr(text: string): void;
  /** Writes text of a renderer which handles control characters itself. In a job of CI, no text becomes a command of its system. */
  readonly raw: { stdout(text: string): void; stderr(text: string): void };
  /** Writes text unchanged on standard output: data such as YAML, and commands that are meant for the CI system. */
  data(text: string): void;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** True if the user can be asked. */
  readonly interactive: boolean;
  /** True if stdout shows colors. */
  readonly color: boolean;
  /** True if stderr shows colors. */
  readonly colorsMessages: boolean;
  /** Width of stdout in characters; absent if it is not a terminal. */
  readonly width?: number;
  /** Width of stderr in characters, if it is a terminal where one line can show the progress. */
  readonly columns?: number;
  /** Resolves when all output has been written, or has failed to be (`OwnProcess.failedLate`). */
  readonly written?: () => Promise<void>;
  /** Sets the exit code with which the process ends after the command. */
  setExitCode(code: number): void;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Aborted when nobody reads standard output any more, such as after `| head -1`; only commands without an end of their own stop then. */
  readonly readerGone?: AbortSignal;
  /** Absent where other work shares the process, as in tests. */
  readonly ownProcess?: OwnProcess;
  /**
   * Calls back after a time, without keeping the process alive for it; returns a function that cancels it.
   *
   * @default by the clock of the process
   */
  after?(milliseconds: number, callback: () => void): () => void;
  /** Runs work that cannot be stopped halfway, such as a program: meanwhile, a signal ends the process at once. */
  interruptible?<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Standard input.
   *
   * @default that of the process
   */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Opens the terminal of the user, whose standard input is another stream; undefined without one. */
  openTerminal?(): ReadStream | undefined;
}
