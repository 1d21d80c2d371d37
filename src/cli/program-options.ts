import type { Config } from './config.js';
/** How a program is run. */
export interface ProgramOptions extends Pick<Config, 'name' | 'instance' | 'namespace' | 'policy' | 'prune' | 'tracking' | 'context'> {
  /** An absolute path of a TypeScript or JavaScript file, or a command line. */
  readonly app: string;
  /** The project: source positions are relative to it, and a command runs there. */
  readonly cwd: string;
  /** Absolute path of the directory that the assembly is written to; nothing is there yet. */
  readonly outdir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Gets what the program prints; its own standard output belongs to our data. */
  readonly stderr: (text: string) => void;
}
