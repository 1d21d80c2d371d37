import { managersOf, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { HistoryStore, StackHistory } from '../history/history-store.js';
import { fieldOf, type OmittedValue } from '../history/omitted-values.js';
import { readBody } from '../history/read-body.js';
import { type Revision, revisionAt } from '../history/revision.js';
import type { RevisionBody } from '../history/revision-body.js';
import { withIntent } from '../history/without-intents.js';
import { findInventory } from '../inventory/former-inventories.js';
import { type Inventory, InventoryStore, type StackIdentity } from '../inventory/inventory-store.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { keysIn, type MovingStack } from './moved-objects.js';
import { stackIdentityOf } from './prepare-run.js';

/** A stack that goes back, and its history. */
interface MovingHistory extends MovingStack {
  readonly store: HistoryStore;
  readonly history: StackHistory;
}

/** A revision with what has moved to its stack since then. */
export interface WithMovedHere {
  readonly body: RevisionBody;
  readonly warnings: readonly RunDiagnostic[];
}

/** An intent of the last revision, of which the chosen one does not declare the object, or not these values. */
interface Candidate {
  readonly intent: IntentManifest;
  readonly object: PartialObject;
  readonly values: readonly OmittedValue[];
  /** Its position in the chosen revision, if that declares the object. */
  readonly position: number | undefined;
}

/** Another stack: its declarations at the time of the chosen revision, its last ones, and its record. */
interface OtherStack {
  readonly atThatTime: RevisionBody;
  readonly last: RevisionBody;
  readonly inventory: Inventory | undefined;
}

/**
 * Returns a revision with the objects, and the values of Secrets, that have moved to its stack from other stacks of the program since then: without
 * them, it would delete what no stack declares afterwards.
 *
 * @param others the stacks that go back in the same run: what has moved from them goes back to them.
 */
export async function withMovedHere(
  moving: MovingHistory,
  revision: Revision,
  body: RevisionBody,
  others: readonly Pick<StackManifest, 'manager'>[],
): Promise<WithMovedHere> {
  const { cluster, stack, inventoryNamespace } = moving;
  const keyOf = keysIn(cluster);
  let candidates = await candidatesOf(moving, revision, body);
  if (candidates.length === 0) return { body, warnings: [] };
  const inventories = await new InventoryStore(cluster, inventoryNamespace).read();
  const warnings: RunDiagnostic[] = [];
  let result = body;
  for (const identity of othersOf(moving, inventories)) {
    if (others.some(({ manager }) => manager === identity.manager)) continue;
    const other = await otherStack(moving, identity, revision).catch((error: unknown) => {
      if (!(error instanceof FieldwiseError)) throw error;
      warnings.push(unknownOrigin(stack.name, identity.stack, error));
      return undefined;
    });
    if (other === undefined) continue;
    const inventory = inventories.find(({ stack: { manager } }) => manager === identity.manager);
    const found = candidates.flatMap((candidate) => movedFrom({ ...other, inventory }, candidate, keyOf) ?? []);
    for (const moved of found) warnings.push(staysWarning(moved, stack.name, identity.stack, revision));
    result = found.reduce(withCandidate, result);
    candidates = candidates.filter(({ intent }) => !found.some((moved) => moved.intent === intent));
  }
  return { body: result, warnings };
}

async function candidatesOf(moving: MovingHistory, { revision }: Revision, body: RevisionBody): Promise<readonly Candidate[]> {
  const { program, cluster, stack, history, inventoryNamespace } = moving;
  const last = history.revisions.findLast(({ body: stored }) => stored !== undefined);
  if (last === undefined || last.revision <= revision) return [];
  const keyOf = keysIn(cluster);
  const latest = await readBody(moving, last);
  const positions = new Map(body.stack.intents.map((intent, index) => [keyOf(intent), index]));
  const found = latest.stack.intents.flatMap((intent, index): readonly Candidate[] => {
    const position = positions.get(keyOf(intent));
    const values = (latest.omitted.get(index) ?? []).filter((value) => position === undefined || !hasValue(body, position, value));
    return position === undefined || values.length > 0
      ? [{ intent, object: latest.objects[index] as PartialObject, values, position }]
      : [];
  });
  if (found.length === 0) return [];
  const { whole } = await findInventory(new InventoryStore(cluster, inventoryNamespace), stackIdentityOf(program, stack), stack);
  const recorded = new Set([...whole.entries.values()].map(keyOf));
  return found.filter(({ intent }) => recorded.has(keyOf(intent)));
}

/** Returns the other stacks of a program, and those that it has in the cluster and declares no longer. */
function othersOf({ program, stack }: MovingStack, inventories: readonly Inventory[]): readonly StackIdentity[] {
  const { app, instance, stacks } = program.manifest;
  const undeclared = inventories
    .map((inventory) => inventory.stack)
    .filter((one) => one.app === app && one.instance === instance && !stacks.some(({ manager }) => manager === one.manager));
  const own = managersOf(stack);
  return [...stacks.map((one) => stackIdentityOf(program, one)), ...undeclared].filter(({ manager }) => !own.includes(manager));
}

/** Reads what a stack declared when a revision of another one was deployed, and what it declared last; undefined where it is not stored. */
async function otherStack(
  { store }: MovingHistory,
  identity: StackIdentity,
  { run, at }: Revision,
): Promise<Omit<OtherStack, 'inventory'> | undefined> {
  const history = await store.read(identity);
  const then = revisionAt(history.revisions, run, Date.parse(at));
  const last = history.revisions.at(-1);
  if (then?.body === undefined || last?.body === undefined) return undefined;
  return { atThatTime: await readBody({ store, history }, then), last: await readBody({ store, history }, last) };
}

/** Returns the part of a candidate that has moved from another stack; undefined if there is none. */
function movedFrom(
  { atThatTime, last, inventory }: OtherStack,
  candidate: Candidate,
  keyOf: (object: ObjectIdentity) => string,
): Candidate | undefined {
  const key = keyOf(candidate.intent);
  const positionIn = ({ stack: { intents } }: RevisionBody) => intents.findIndex((intent) => keyOf(intent) === key);
  const [before, after] = [positionIn(atThatTime), positionIn(last)];
  if (before === -1) return undefined;
  const isOwn = [candidate.intent, atThatTime.stack.intents[before]].every((intent) => intent?.lifecycle === 'own');
  const isRecorded = [...(inventory?.entries.values() ?? [])].some((entry) => entry.lifecycle === 'own' && keyOf(entry) === key);
  if (candidate.position === undefined && isOwn && !isRecorded) return candidate;
  const values = candidate.values.filter((value) => hasValue(atThatTime, before, value) && !hasValue(last, after, value));
  return values.length === 0 ? undefined : { ...candidate, values };
}

function hasValue({ omitted }: RevisionBody, position: number, value: OmittedValue): boolean {
  return omitted.get(position)?.some((one) => fieldOf(one) === fieldOf(value)) === true;
}

function withCandidate(body: RevisionBody, { intent, object, values, position }: Candidate): RevisionBody {
  const index = position ?? body.stack.intents.length;
  const omitted = values.length === 0 ? body.omitted : new Map(body.omitted).set(index, [...(body.omitted.get(index) ?? []), ...values]);
  return { ...(position === undefined ? withIntent(body, intent, object) : body), omitted };
}

function staysWarning({ intent, values, position }: Candidate, stack: string, from: string, { revision, run }: Revision): RunDiagnostic {
  const isWhole = position === undefined && intent.lifecycle === 'own';
  const what = isWhole ? objectText(intent) : `${values.map(fieldOf).join(', ')} of ${objectText(intent)}`;
  return {
    event: 'warning',
    code: 'moved-object-stays',
    message: `${what} stays with stack ${stack}: it moved there from stack ${from} after revision ${revision}, and without it no stack would declare it`,
    next:
      run === undefined
        ? `To give it back, move it in the program, and deploy both stacks.`
        : `\`fieldwise rollback --run ${run}\` takes both stacks back, and gives it back to stack ${from}.`,
  };
}

function unknownOrigin(stack: string, other: string, { code, message, next }: FieldwiseError): RunDiagnostic {
  const text = `Nothing shows whether what this rollback removes from stack ${stack} has moved there from stack ${other}: ${message}`;
  return { event: 'warning', code, message: text, ...(next === undefined ? {} : { next }) };
}
