import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { HistoryVouch } from '../inventory/history-vouch.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { HistoryAccess } from './history-access.js';
import { hasHistoryMark, historyName, isHistoryOf, listNames, parsed, slotCount, slotName, valueIn } from './history-secrets.js';
import { slotsOf } from './revision.js';
import { parseRevisions } from './revision-schema.js';

/**
 * Deletes the history of a stack that is removed. Secrets that are not provably a part of it stay, and one warning names all of them. Without
 * permission to read, nothing shows whether there is a history, and it stays.
 *
 * @param vouch what the inventory of the stack knows of its history.
 *
 * @throws ApiError.
 */
export async function removeHistory(
  cluster: ClusterClient,
  namespace: string | undefined,
  stack: StackIdentity,
  onWarning: (warning: RunDiagnostic) => void,
  vouch?: HistoryVouch,
): Promise<void> {
  const access = new HistoryAccess(cluster, namespace);
  const removal: Removal = { access, stack, damaged: [], forbidden: [] };
  for (const [number, name] of listNames(stack.manager).entries()) {
    const isReadable = await removeList(removal, name);
    if (!isReadable && vouch?.name === number) removal.forbidden.push(name);
    if (!isReadable && number === 0) break;
  }
  for (const warning of warningsOf(removal)) onWarning(warning);
}

/** @returns false if these credentials may not read it. */
async function removeList(removal: Removal, name: string): Promise<boolean> {
  const { access, stack } = removal;
  const list = await findList(access, name);
  if (list === 'unreadable') return false;
  const revisions = list && isHistoryOf(list, stack) ? parseRevisions(parsed(valueIn(list, 'revisions'))) : undefined;
  const isFirst = name === historyName(stack.manager);
  if (revisions) {
    const listed = slotsOf(revisions);
    for (const slot of listed) await remove(removal, slotName(name, slot), true);
    // Old values that a run wrote late, after it had lost its lock, so that no inventory refers to them.
    if (isFirst && !listed.has(lastSlot)) await remove(removal, slotName(name, lastSlot), false);
  } else await removeUnlisted(removal, name, list === undefined ? 0 : slotCount({}));
  if (list) await remove(removal, name, true);
  return true;
}

/** The number that `OldValues` uses first. */
const lastSlot = slotCount({}) - 1;

interface Removal {
  readonly access: HistoryAccess;
  readonly stack: StackIdentity;
  /** Names of Secrets that stay, because they are not as a history has written them. */
  readonly damaged: string[];
  /** Names of Secrets that stay, because they may not be deleted. */
  readonly forbidden: string[];
}

async function findList(access: HistoryAccess, name: string): Promise<JsonObject | undefined | 'unreadable'> {
  try {
    return await access.find(name);
  } catch (error) {
    if (isForbiddenHistory(error)) return 'unreadable';
    throw error;
  }
}

/**
 * Looks for the parts of a history by name, because no list names them.
 *
 * @param gap the number of names without a Secret after which no further one is looked for.
 */
async function removeUnlisted(removal: Removal, list: string, gap: number): Promise<void> {
  let [absent, allowed] = [0, gap];
  for (let slot = 0; absent <= allowed; slot += 1) {
    const found = await remove(removal, slotName(list, slot), false);
    if (found === 'unreadable') return;
    absent = found === 'absent' ? absent + 1 : 0;
    if (found === 'removed') allowed = slotCount({});
  }
}

/** @param isListed false if a Secret of another may have the name by chance. */
async function remove(removal: Removal, name: string, isListed: boolean): Promise<'removed' | 'absent' | 'kept' | 'unreadable'> {
  const { access, stack, damaged, forbidden } = removal;
  try {
    const result = await access.remove(stack, name);
    if (typeof result === 'string') return result;
    if (isListed || hasHistoryMark(result)) damaged.push(name);
    return 'kept';
  } catch (error) {
    if (!isForbiddenHistory(error)) throw error;
    if (!isListed) return 'unreadable';
    forbidden.push(name);
    return 'kept';
  }
}

function warningsOf({ access: { namespace }, stack: { stack }, damaged, forbidden }: Removal): readonly RunDiagnostic[] {
  const warning = (code: 'history-damaged' | 'history-forbidden', names: readonly string[], why: string, first: string): RunDiagnostic[] =>
    names.length === 0
      ? []
      : [
          {
            event: 'warning',
            code,
            message: `The history of stack ${stack} is not removed as a whole: in namespace ${namespace}, ${names.length === 1 ? 'Secret' : 'Secrets'} ${names.join(', ')} ${names.length === 1 ? 'stays' : 'stay'}, because ${why}`,
            next: `${first} \`kubectl delete secret --namespace ${namespace} ${names.join(' ')}\` removes the rest; no object of the stack depends on it.`,
          },
        ];
  return [
    ...warning('history-damaged', damaged, 'somebody else has written or changed them', 'Find out who wrote them.'),
    ...warning('history-forbidden', forbidden, 'these credentials may not delete them', 'With credentials that may,'),
  ];
}

function isForbiddenHistory(error: unknown): boolean {
  return error instanceof FieldwiseError && error.code === 'history-forbidden';
}
