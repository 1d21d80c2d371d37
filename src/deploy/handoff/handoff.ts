import { identityKey, objectText } from '../../assembly/identity.js';
import type { Assembly, PartialObject, StackManifest } from '../../assembly/types.js';
import { ApiError, type Cluster } from '../../cluster/index.js';
import { emptyFieldSet, type FieldSet, formatPath, isEmpty, membersOf, quote, valueAt } from '../../fields/index.js';
import { appliedIntentOf, applyEntryOf, claimsToGiveUp, entriesWithout } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../address.js';
import { declaredFields } from '../adopt/claims.js';
import { chooseStacks } from '../choose-stacks.js';
import { deploy } from '../deploy.js';
import type { EventHost, ReportedError, RunSummary } from '../events.js';
import { explain } from '../explain.js';
import { InventoryStore, type StackIdentity } from '../inventory/store.js';
import type { RunOptions } from '../options.js';
import { changeOwners } from '../owner-patch.js';
import { resolveReferences } from '../references.js';
import { fieldsNotTakenOver } from '../rename.js';
import { beginSession, watchedBy } from '../session.js';
import { stepsInForce } from '../strategy.js';
import { type Step, stepsOf } from '../waves.js';
import { type Giver, giverOf } from './giver.js';
import { moveLife } from './life.js';
import { type Selection, selectionOf } from './selection.js';

export interface HandoffOptions extends Omit<RunOptions, 'stacks' | 'plan' | 'pruneStacks' | 'wait'> {
  /** Name of a stack, or `manager:NAME`. */
  readonly from: string;
  /** Name of a stack of the assembly. */
  readonly to: string;
  /** Objects (`Kind/name`) and paths (`.spec.replicas`); empty for all that the receiver declares. */
  readonly limits: readonly string[];
}

/** What was handed over of one object. */
export interface HandedOver {
  readonly object: string;
  readonly from: string;
  readonly to: string;
  /** What the giver does not own any more; empty where it owned none of it. */
  readonly fields: readonly string[];
  /** What of it the program still declares in the giver's stack. */
  readonly stillDeclared: readonly string[];
  /** Whether the object itself, which the giver had owned, is the receiver's to delete. */
  readonly life?: true;
  readonly error?: ReportedError;
}

export interface HandoffOutcome {
  /** Of the receiver's deploy. Where it is not ok nothing was handed over. */
  readonly deployed: RunSummary;
  readonly objects: readonly HandedOver[];
}

/**
 * Hands fields over without a moment in which nobody owns them: the receiver's stack is deployed and so owns equal values together with
 * the giver; where the server's managedFields prove it, the giver's part ends. Run again after an interrupt it does what is left.
 *
 * @throws FieldwiseError `handoff-value-differs`, `handoff-not-declared`, `stack-unknown`, before anything is changed; those of `deploy`.
 */
export async function handoff(assembly: Assembly, cluster: Cluster, options: HandoffOptions, host: EventHost): Promise<HandoffOutcome> {
  const { from, to, limits, ...run } = options;
  const [receiver] = chooseStacks(assembly, [to]) as readonly [StackManifest];
  const watched = watchedBy(cluster, host);
  const store = new InventoryStore(watched, options.inventoryNamespace);
  const giver = await giverOf(from, assembly, store);
  const resolved = resolveReferences(assembly, [receiver], options.references);
  const selection = selectionOf(await stepsInForce(watched, stepsOf(resolved, [receiver]), options, () => {}), limits);
  for (const step of selection.steps) await requireEqualValues(watched, step, giver);
  const deployed = await deploy(assembly, cluster, { ...run, stacks: [to], wait: false }, host);
  if (!deployed.ok) return { deployed, objects: [] };
  const { app, instance } = assembly.manifest;
  const identity = { app, instance, stack: receiver.name, manager: receiver.manager };
  const session = await beginSession(cluster, giver.stack ? [identity, giver.stack] : [identity], run, host);
  try {
    const records = new InventoryStore(session.records, options.inventoryNamespace);
    const objects: HandedOver[] = [];
    for (const step of selection.steps)
      objects.push(await handOver({ assembly, cluster: session.cluster, records, identity, giver, selection }, step));
    return { deployed, objects };
  } finally {
    await session.end();
  }
}

/** The server itself says whether values are equal: a dry run without force. */
async function requireEqualValues(cluster: Cluster, { intent, object, stack }: Step, giver: Giver): Promise<void> {
  const address = await addressOf(cluster, intent);
  const live = await cluster.find(address);
  if (live === undefined || !applyEntryOf(live, giver.manager)) return;
  if (intent.policy.strategy === 'dynamic' || appliedIntentOf(live, giver.manager) || appliedIntentOf(live, stack.manager)) {
    throw mergedHere(intent, stack.manager);
  }
  try {
    const body = { ...object, metadata: { ...object.metadata, uid: (live.metadata as JsonObject).uid as string } };
    await cluster.apply(address, body, { manager: stack.manager, force: false, dryRun: true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.conflicts.length === 0) throw error;
    const contested = error.conflicts
      .filter(({ message }) => message === `conflict with ${quote(giver.manager)}`)
      .map(({ field }) => field);
    if (contested.length === 0) return; // with others, whom the receiver's policies deal with
    const [declared] = intent.declaredBy;
    throw new FieldwiseError(
      'handoff-value-differs',
      'conflict',
      `The receiver declares other values than ${giver.manager} has: ${[...new Set(contested)].sort().join(', ')}`,
      {
        place: { object: objectText(intent), ...(contested[0] === undefined ? {} : { field: contested[0] }), ...declared },
        next: 'Nothing was changed. Declare the present values, hand over, and change them afterwards.',
      },
    );
  }
}

/** What the server does not record it cannot prove. */
function mergedHere(intent: Step['intent'], manager: string): FieldwiseError {
  const what = 'It is merged under the strategy dynamic, where the server does not prove that the receiver has what the giver lets go';
  return new FieldwiseError('handoff-dynamic', 'usage', what, {
    place: { object: objectText(intent), manager },
    next: 'Nothing was changed. Deploy the receiver and then the giver without the fields: what both declare stays.',
  });
}

interface Handing {
  readonly assembly: Assembly;
  readonly cluster: Cluster;
  readonly records: InventoryStore;
  readonly identity: StackIdentity;
  readonly giver: Giver;
  readonly selection: Selection;
}

async function handOver(handing: Handing, step: Step): Promise<HandedOver> {
  const { assembly, cluster, giver, selection } = handing;
  const { manager } = step.stack;
  const place = { object: objectText(step.intent), from: giver.manager, to: manager };
  let given: FieldSet = emptyFieldSet;
  try {
    let last: JsonObject | undefined;
    const changed = await changeOwners(cluster, await addressOf(cluster, step.intent), (live) => {
      last = live;
      given = live === undefined ? emptyFieldSet : provedFields(live, step, giver.manager, selection);
      if (live === undefined || isEmpty(given)) return undefined;
      const { operation, apiVersion, subresource } = applyEntryOf(live, giver.manager) as NonNullable<ReturnType<typeof applyEntryOf>>;
      return {
        manager,
        entries: entriesWithout(live, [{ from: { manager: giver.manager, operation, apiVersion, subresource }, fields: given }]),
      };
    });
    const object = changed ?? last;
    const hasLeft =
      object !== undefined && applyEntryOf(object, giver.manager) === undefined && applyEntryOf(object, manager) !== undefined;
    const life = hasLeft && giver.stack !== undefined && (await moveLife(handing.records, step, giver.stack, handing.identity));
    const fields = [...membersOf(given)].filter(({ leaf }) => leaf).map(({ path }) => path);
    const declared = declaredByGiver(assembly, giver.manager, step);
    return {
      ...place,
      fields: fields.map(formatPath),
      stillDeclared: fields.filter((path) => valueAt(declared, path) !== undefined).map(formatPath),
      ...(life ? { life } : {}),
    };
  } catch (error) {
    return { ...place, fields: [], stillDeclared: [], error: explain(error) };
  }
}

/** What the giver can end its part in, as the server's own record proves. */
function provedFields(live: JsonObject, { object, stack }: Step, giver: string, { select }: Selection): FieldSet {
  const theirs = applyEntryOf(live, giver);
  if (theirs === undefined) return emptyFieldSet;
  const unproved = fieldsNotTakenOver(live, object, giver, stack.manager);
  if (unproved.length > 0) {
    throw new FieldwiseError(
      'handoff-unproved',
      'resource',
      `The server's managedFields do not show that ${stack.manager} owns ${unproved.join(', ')}, which ${giver} owns`,
      {
        place: { manager: giver },
        next: 'Nothing of the object was handed over: every field still has its owner. A policy `yield` of the receiver leaves fields to the giver; set another.',
      },
    );
  }
  return claimsToGiveUp(theirs.fields, select(declaredFields(live, stack.manager, object)));
}

function declaredByGiver(assembly: Assembly, manager: string, step: Step): PartialObject | undefined {
  const stacks = assembly.manifest.stacks.filter((stack) => stack.manager === manager);
  const key = identityKey({ ...step.intent, namespace: undefined });
  return stepsOf(assembly, stacks).find(
    ({ intent }) =>
      identityKey({ ...intent, namespace: undefined }) === key && (intent.namespace ?? step.intent.namespace) === step.intent.namespace,
  )?.object;
}
