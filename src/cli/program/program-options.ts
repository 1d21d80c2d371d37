import type { Config } from '../config/config.js';
import type { OwnProcess } from '../process/own-process.js';

/** Options to run a program. */
export interface ProgramOptions
  extends Pick<Config, 'name' | 'instance' | 'id' | 'environment' | 'namespace' | 'policy' | 'prune' | 'tracking' | 'context'> {
  /** The absolute path of a TypeScript or JavaScript file, or a command line. */
  readonly app: string;
  /** Absolute path of the project: source positions are relative to it, and a command runs there. */
  readonly cwd: string;
  /** Absolute path of the directory for the assembly, which does not exist yet. */
  readonly outdir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Receives the output of the program, because standard output is reserved for the data of the command. */
  readonly stderr: (text: string) => void;
  /** The time after which a program that is not over is an error. */
  readonly timeoutSeconds: number;
  /** Calls back after a time, without keeping the process alive for it; returns a function that cancels it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  /** Absent where the process goes on for others. */
  readonly own?: OwnProcess | undefined;
}
