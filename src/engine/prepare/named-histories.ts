import type { Assembly, StackManifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import { fieldManagerOf } from '../../util/field-manager.js';
import type { HistoryReading, HistoryStore, StackHistory } from '../history/history-store.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import { defaultConcurrency } from '../run/options.js';
import { stackIdentityOf } from './prepare-run.js';
import { selectStacks } from './select-stacks.js';
import { homesOf } from './undeclared-stacks.js';

/** The history of a stack that a program or a word of a command names. */
export interface NamedHistory {
  readonly history: StackHistory;
  /** The stack in the program; absent if the program does not declare it any more, or never did. */
  readonly declared?: StackManifest;
}

/**
 * Reads the histories of stacks: of those that the program declares, and of others by their names, as `fieldwise list` shows them: the field
 * manager, and so the name of the history, follows from the name of the stack.
 *
 * @param names `web`, or `shop/production/web`; all stacks of the program if there are none.
 * @param reading of each history.
 * @throws FieldwiseError `stack-unknown` (usage), `history-damaged`, `history-forbidden`.
 */
export async function namedHistories(
  program: Assembly,
  store: HistoryStore,
  names: readonly string[] | undefined,
  reading: HistoryReading,
): Promise<readonly NamedHistory[]> {
  const words = names?.length ? names : undefined;
  const wanted: readonly (StackManifest | string)[] =
    words?.map((word) => declaredStack(program, word) ?? word) ?? selectStacks(program, []);
  const found: NamedHistory[] = [];
  await forEachConcurrent([...[...new Set(wanted)].entries()], defaultConcurrency, async ([position, one]) => {
    found[position] =
      typeof one === 'string'
        ? { history: await undeclaredHistory(program, store, one, reading) }
        : { history: await store.read(stackIdentityOf(program, one), reading), declared: one };
  });
  return found;
}

function declaredStack({ manifest: { app, instance, stacks } }: Assembly, word: string): StackManifest | undefined {
  return stacks.find(({ name }) => name === word) ?? stacks.find(({ name }) => `${app}/${instance}/${name}` === word);
}

/** @throws FieldwiseError `stack-unknown` if there is no such history, or nothing shows whether there is one. */
async function undeclaredHistory(program: Assembly, store: HistoryStore, word: string, reading: HistoryReading): Promise<StackHistory> {
  let isReadable = true;
  for (const identity of identitiesOf(program, word)) {
    try {
      const history = await store.read(identity, reading);
      if (history.revisions.length > 0 || history.unknown.length > 0) return history;
    } catch (error) {
      if (!(error instanceof FieldwiseError) || error.code !== 'history-forbidden') throw error;
      isReadable = false;
    }
  }
  const names = program.manifest.stacks.map(({ name }) => name).join(', ') || 'none';
  throw new FieldwiseError(
    'stack-unknown',
    'usage',
    isReadable
      ? `The program declares no stack ${word}, and the cluster has no history of one`
      : `The program declares no stack ${word}, and these credentials may not read whether the cluster has a history of one`,
    {
      next: `Name one of its stacks: ${names}; or one of the cluster, as \`fieldwise list\` shows it, such as APP/INSTANCE/STACK. The history of a stack is deleted with the stack.`,
    },
  );
}

/** The program may have had another name, and the names of stacks may have slashes, too. */
function identitiesOf({ manifest }: Assembly, word: string): readonly StackIdentity[] {
  const [first, second, ...others] = word.split('/');
  const own = homesOf(manifest).map((home) => ({ ...home, stack: word }));
  const whole = first && second && others.length > 0 ? [{ app: first, instance: second, stack: others.join('/') }] : [];
  return [...own, ...whole].map((stack) => ({ ...stack, manager: fieldManagerOf(stack) }));
}
