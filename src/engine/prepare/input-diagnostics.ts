import { inputKey, type ProgramInput } from '../../assembly/program-input.js';
import type { StackManifest } from '../../assembly/types.js';
import { isSecret } from '../../fields/object.js';
import type { Step } from '../graph/waves.js';
import type { Inventory } from '../inventory/inventory-store.js';
import { isEdited } from '../inventory/not-as-applied.js';
import { undeclaredEntries } from '../inventory/undeclared-entries.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { sameInputs } from '../run/stack-state.js';
import type { PreparedRun, PrepareOptions } from './prepare-run.js';
import { type RecordedStack, readRecordedStack } from './recorded-stack.js';

/** A stack with its intents, and its inventory. */
export interface StackInputs {
  readonly stack: StackManifest;
  readonly steps: readonly Step[];
  readonly inventory: Inventory;
}

export interface InputOptions extends PrepareOptions {
  /** Context values that the user has just chosen: nothing is said of another value. @default none */
  readonly chosenContext?: readonly string[];
  /** Also tells of inputs that may have another value, which nothing shows. */
  readonly tellsDoubts?: boolean;
}

/**
 * Tells which inputs of the last deploy the program has not got, or has with another value. Says nothing of a stack whose intents are those that
 * were deployed, and sends a request only where there is something to say.
 */
export async function inputDiagnostics(
  run: Pick<PreparedRun, 'assembly' | 'cluster'>,
  stacks: readonly StackInputs[],
  options: InputOptions,
): Promise<readonly RunDiagnostic[]> {
  const { inputs = [], unset = [] } = run.assembly.manifest;
  const now = new Map(inputs.map((input) => [inputKey(input), input]));
  const diagnostics: RunDiagnostic[] = [];
  for (const { stack, steps, inventory } of stacks) {
    const recorded = inventory.inputs ?? [];
    const edited = steps.filter(
      (step) => inventory.entries.get(step.key)?.intent === undefined || isEdited(inventory.entries.get(step.key), step),
    );
    if (recorded.length === 0 || (edited.length === 0 && undeclaredEntries(inventory, steps).length === 0)) continue;
    const isOpen = (input: ProgramInput) => {
      if (input.from !== 'context') return options.tellsDoubts === true && edited.some(({ intent }) => isSecret(intent));
      return now.has(inputKey(input)) ? !options.chosenContext?.includes(input.name) : unset.includes(input.name);
    };
    const open = recorded.filter(isOpen);
    const last =
      open.length > 0 && (options.tellsDoubts || open.some(isContext)) ? await lastDeploy(run, stack, inventory, options) : undefined;
    const values = new Map((last?.inputs ?? []).map((input) => [inputKey(input), input.value]));
    const rollback = options.tellsDoubts === true ? last?.rollbackTo : undefined;
    const toldInputs = rollback === undefined ? open : open.filter(isContext);
    const facts = [
      ...(rollback === undefined ? [] : [`the last deploy was a rollback to revision ${rollback}, and the next one goes forward again`]),
      ...toldInputs.flatMap((input) => factOf(input, values.get(inputKey(input)), now.get(inputKey(input)), options) ?? []),
    ];
    if (facts.length === 0) continue;
    diagnostics.push({
      event: 'warning',
      code: 'input-differs',
      message: `Stack ${stack.name} is declared otherwise than it was deployed: ${facts.join('; ')}`,
      next: 'If that is not intended, pass what the last deploy had, or set it in fieldwise.yaml.',
    });
  }
  return diagnostics;
}

function isContext({ from }: ProgramInput): boolean {
  return from === 'context';
}

/** Returns the last revision, where it is proved to be that of the last deploy. */
async function lastDeploy(
  run: Pick<PreparedRun, 'assembly' | 'cluster'>,
  stack: StackManifest,
  { entries, inputs }: Inventory,
  options: PrepareOptions,
): Promise<RecordedStack | undefined> {
  const last = await readRecordedStack(run, stack, options);
  if (last === undefined || !sameInputs(last.inputs, inputs)) return undefined;
  const isLast = [...entries].every(([key, entry]) => {
    const recorded = last.intents.get(key);
    return recorded !== undefined && (recorded.omitted !== undefined || !isEdited(entry, recorded.step));
  });
  return isLast ? last : undefined;
}

function factOf(
  input: ProgramInput,
  value: string | undefined,
  now: ProgramInput | undefined,
  { tellsDoubts }: InputOptions,
): string | undefined {
  if (now === undefined)
    return input.from === 'context' ? `the last deploy had \`${flagOf(input.name, value)}\`; this one has not` : undefined;
  if (value === undefined) return tellsDoubts ? `the last deploy perhaps had another value of ${nameOf(input)}` : undefined;
  if (now.value === value) return undefined;
  const other = now.value === undefined ? 'another value' : `\`${flagOf(input.name, now.value)}\``;
  return `the last deploy had \`${flagOf(input.name, value)}\`; this one has ${other}`;
}

function nameOf({ from, name }: ProgramInput): string {
  return { context: `\`-c ${name}\``, env: `the environment variable ${name}`, file: `the file ${name}` }[from];
}

function flagOf(name: string, value: string | undefined): string {
  if (value === undefined) return `-c ${name}`;
  const pair = `${name}=${value}`;
  return `-c ${/^[\w.,:/@=+-]+$/.test(pair) ? pair : JSON.stringify(pair)}`;
}
