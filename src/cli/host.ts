/** What a command sees of the process it runs in; tests give their own. */
export interface Host {
  /** Text for a person: control characters in it are shown, not sent to the terminal. JSON keeps its data. */
  stdout(text: string): void;
  stderr(text: string): void;
  /** Text whose control characters are meant: colours of a renderer that makes its data printable itself, and data such as YAML. */
  readonly raw: { stdout(text: string): void; stderr(text: string): void };
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  /** Whether stderr shows colours. */
  readonly color: boolean;
  /** Width of stderr, where it is a terminal. */
  readonly columns?: number;
  /** Ends the process with this code once the command has finished. */
  setExitCode(code: number): void;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Runs what cannot stop in the middle, such as a program: a signal ends the process at once, whatever the work does. */
  interruptible?<Result>(work: () => Promise<Result>): Promise<Result>;
}
