import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { type Strategy, strategies } from '../assembly/policy-vocabulary.js';
import { FieldwiseError } from '../util/error.js';
import type { Host } from './host.js';

/** What `--strategy` asks for, not checked yet. */
export interface StrategyFlag {
  readonly strategy?: string;
}

/** Adds the switch that decides over every policy of the assembly. */
export function addStrategyFlag(command: Command): Command {
  return command.option('--strategy <which>', 'who merges, whatever the policies say: the server (server-side) or Fieldwise (dynamic)');
}

/**
 * The option of the engine that the flag, else FIELDWISE_STRATEGY, decides.
 *
 * @throws FieldwiseError `flag-invalid`.
 */
export function strategyOption({ strategy: flag }: StrategyFlag, { env }: Pick<Host, 'env'>): { readonly strategy?: Strategy } {
  const requested = flag ?? (env.FIELDWISE_STRATEGY || undefined);
  if (requested === undefined) return {};
  const strategy = strategies.find((name) => name === requested);
  if (strategy !== undefined) return { strategy };
  const source = flag === undefined ? 'FIELDWISE_STRATEGY' : '--strategy';
  throw new FieldwiseError('flag-invalid', 'usage', `\`${source} ${requested}\` is neither server-side nor dynamic`, {
    next: 'server-side has the API server merge; dynamic has Fieldwise merge, from what it remembers to have applied.',
  });
}

/** Reads the value of `--concurrency`. */
export function readConcurrency(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 256) return number;
  throw new InvalidArgumentError('It must be a whole number from 1 to 256.');
}

/** Seconds of `--wait-lock` without a number. */
export const defaultWaitLock = 600;

/** Reads a flag's number of seconds. */
export function readSeconds(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 86_400) return number;
  throw new InvalidArgumentError('It must be a number of seconds, at most a day.');
}
