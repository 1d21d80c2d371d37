import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Strategy, strategies } from '../assembly/policy-vocabulary.js';
import { FieldwiseError } from '../util/error.js';
import type { Host } from './host.js';

/** The value of `--strategy`, not validated yet. */
export interface StrategyFlag {
  readonly strategy?: string;
}

/** The context values of a command, `KEY=VALUE` each. */
export interface ContextFlag {
  readonly context?: readonly string[];
}

/** Returns the keys of the context values that the user has chosen for this command. */
export function chosenContext({ context = [] }: ContextFlag): readonly string[] {
  return context.map((pair) => pair.slice(0, pair.indexOf('=')));
}

/** Adds `--strategy`, which overrides every policy of the assembly. */
export function addStrategyFlag(command: Command): Command {
  return command.option(
    '--strategy <name>',
    'who merges declared fields into live objects: server-side (the API server, by server-side apply) or dynamic (Fieldwise, by a client-side three-way merge). Overrides the policies of all objects (default: the policy of each object, else server-side)',
  );
}

/** Adds `--take-over`. */
export function addTakeOverFlag(command: Command): Command {
  return command.option(
    '--take-over <id>',
    'take over stacks that a program of the same name with this `id` deploys (default: refuse them if this program has another id)',
  );
}

/** Adds `--wait-lock`; `prefix` says when it has an effect. */
export function addWaitLockFlag(command: Command, prefix = ''): Command {
  return command.option(
    '--wait-lock [seconds]',
    `${prefix}if another run has locked a stack, wait up to this many seconds for the lock; ${defaultWaitLock} if no number is given (default: do not wait, except up to 15 s to find out whether that run is still active)`,
    readSeconds,
  );
}

/**
 * Returns the strategy of the flag, else of FIELDWISE_STRATEGY, as an option of the engine.
 *
 * @throws FieldwiseError `flag-invalid`, `environment-invalid`.
 */
export function strategyOption({ strategy: flag }: StrategyFlag, { env }: Pick<Host, 'env'>): { readonly strategy?: Strategy } {
  const requested = flag ?? (env.FIELDWISE_STRATEGY || undefined);
  if (requested === undefined) return {};
  const strategy = strategies.find((name) => name === requested);
  if (strategy !== undefined) return { strategy };
  const source = flag === undefined ? 'FIELDWISE_STRATEGY' : '--strategy';
  const code = flag === undefined ? 'environment-invalid' : 'flag-invalid';
  throw new FieldwiseError(code, 'usage', `\`${source} ${requested}\` is neither server-side nor dynamic`, {
    next: 'With server-side, the API server merges; with dynamic, Fieldwise merges client-side, from its last applied intent.',
  });
}

/** Reads the value of `--concurrency`. */
export function readConcurrency(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 256) return number;
  throw new InvalidArgumentError('Expected an integer from 1 to 256.');
}

/** The seconds of `--wait-lock` without a value. */
export const defaultWaitLock = 600;

/** Reads the value of a flag in seconds. */
export function readSeconds(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 86_400) return number;
  throw new InvalidArgumentError('Expected a number of seconds from 0 to 86400.');
}

/** The value of `--problems`. */
export interface ProblemsFlag {
  readonly problems?: boolean;
}

/** Adds `--problems`; `what` is shown with it. */
export function addProblemsFlag(command: Command, what: string): Command {
  return command.option('--problems', `in the text, show only ${what} (default: all objects)`);
}

/** The values of `--watch` and `--for`. */
export interface WatchFlags {
  readonly watch?: boolean;
  readonly for?: number;
}

/** Adds `--watch` and `--for`; `what` is shown when it changes. */
export function addWatchFlags(command: Command, what: string): Command {
  return command
    .option(
      '--watch',
      `follow the objects, and show ${what} as it changes, until Ctrl-C, or until the reader of the output ends, such as head -1 (default: show it once)`,
    )
    .option('--for <seconds>', 'with --watch: end after this time, at most 86400, a day (default: at Ctrl-C)', readSeconds);
}

/** @throws FieldwiseError `flag-without-use`. */
export function refuseForWithoutWatch(flags: WatchFlags): void {
  if (flags.for === undefined || flags.watch) return;
  throw new FieldwiseError('flag-without-use', 'usage', '`--for` has no effect without `--watch`', {
    next: 'Pass `--watch`, or leave out `--for`.',
  });
}

/**
 * Returns the signal that ends a watch: after the time, at Ctrl-C, or when nobody reads the output any more. Not by `AbortSignal.any`: Node 20
 * may collect a signal that only it refers to.
 */
export function watchSignal(flags: WatchFlags, { signal, readerGone }: Pick<Host, 'signal' | 'readerGone'>): AbortSignal {
  const end = new AbortController();
  const timer = flags.for === undefined ? undefined : setTimeout(() => end.abort(), flags.for * 1000);
  const stop = () => {
    clearTimeout(timer);
    end.abort();
  };
  for (const one of [signal, ...(readerGone ? [readerGone] : [])]) {
    if (one.aborted) stop();
    else one.addEventListener('abort', stop, { once: true });
  }
  return end.signal;
}

/** Reads a SHA-256 in hex, with or without `sha256:`. */
export function readDigest(text: string): string {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  if (hex === undefined) throw new InvalidArgumentError('Expected sha256: and 64 characters in hex.');
  return `sha256:${hex.toLowerCase()}`;
}

/** Reads the value of a flag that is a path. An empty one, as of a variable that is not set, would be the working directory. */
export function readPath(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected the path of a file or directory.');
}

/** Adds `--admission` and `--strict`. */
export function addPoliciesFlags(command: Command): Command {
  return command
    .option(
      '--admission <path>',
      'file or directory of ValidatingAdmissionPolicies, bindings, parameters and CustomResourceDefinitions that decide on the plan (default: `admission` in fieldwise.yaml, else none)',
      readPath,
    )
    .option('--strict', 'block an object for which a policy or definition cannot be evaluated (default: say so)');
}

/** Adds `--rules`. */
export function addRulesFlag(command: Command): Command {
  return command.option(
    '--rules <file>',
    'TypeScript or JavaScript module whose rules judge the plan, and may deny changes (default: `rules` in fieldwise.yaml, else none)',
    readPath,
  );
}

/** Objects that are released rather than deleted, unless `--delete` names them. */
export const deletables = ['shared', 'foreign'] as const;

export type Deletable = (typeof deletables)[number];

/** Returns `--delete`, a list of kinds of objects. */
export function deleteOption(help: string): Option {
  return new Option('--delete <what>', help).argParser((text: string, before: readonly Deletable[] = []) => [
    ...before,
    ...text.split(',').map(readDeletable),
  ]);
}

function readDeletable(text: string): Deletable {
  const known = deletables.find((name) => name === text.trim());
  if (known !== undefined) return known;
  throw new InvalidArgumentError('Expected shared, foreign or shared,foreign.');
}

/** Returns the options of the engine that `--delete` sets. */
export function deletionOptions({ delete: named = [] }: { readonly delete?: readonly Deletable[] }) {
  return { deleteShared: named.includes('shared'), deleteForeign: named.includes('foreign') };
}
