import { type ParseArgsConfig, parseArgs } from 'node:util';

type Flags<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>;

/** Reads the flags of a script; `--help` prints the usage, and flags that it does not know end the process as `endWithUsage` does. */
export function readFlags<Config extends ParseArgsConfig>(usage: string, config: Config): Flags<Config> {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return endWithUsage(usage, (error as Error).message);
  }
}

/** Says what is wrong with the command, prints the usage and ends the process with 2. */
export function endWithUsage(usage: string, problem: string): never {
  process.stderr.write(`${problem}\n${usage}\n`);
  process.exit(2);
}

/** Reads the number that a flag has; anything but a whole number ends the process as `endWithUsage` does. */
export function readCount(usage: string, flag: string, text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : endWithUsage(usage, `--${flag} takes a whole number, not ${text}`);
}
