import { objectText } from '../../assembly/identity.js';
import type { Assembly, StackManifest } from '../../assembly/types.js';
import { type Step, stepsOf } from '../../engine/graph/waves.js';
import { InventoryStore, type StackIdentity } from '../../engine/inventory/store.js';
import type { EventHost, RunSummary } from '../../engine/run/events.js';
import { explain } from '../../engine/run/explain.js';
import type { RunOptions } from '../../engine/run/options.js';
import { type ReportedError, warnOnce } from '../../engine/run/run-warning.js';
import { beginSession, watchedBy } from '../../engine/run/session.js';
import { resolveReferences } from '../../engine/secrets/references.js';
import { chooseStacks } from '../../engine/target/choose-stacks.js';
import { stepsInForce } from '../../engine/target/strategy.js';
import { moveLife } from '../../engine/transfer/life.js';
import { type Selection, selectionOf } from '../../engine/transfer/selection.js';
import { declaredByGiver, giveUp, releaseMark, requireEqualValues } from '../../engine/transfer/transfer.js';
import { formatPath, membersOf, valueAt } from '../../fields/index.js';
import type { Cluster } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { deploy } from '../deploy/deploy.js';
import { type Giver, giverOf } from './giver.js';

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
  /** The object itself is the receiver's to delete now: the giver had the right to, and has nothing left of it. */
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
 * @throws FieldwiseError `handoff-to-itself`, `handoff-value-differs`, `handoff-not-declared`, `stack-unknown`, before anything is changed; those of `deploy`.
 */
export async function handoff(assembly: Assembly, cluster: Cluster, options: HandoffOptions, host: EventHost): Promise<HandoffOutcome> {
  const { from, to, limits, ...run } = options;
  const [receiver] = chooseStacks(assembly, [to]) as readonly [StackManifest];
  const watched = watchedBy(cluster, host);
  const store = new InventoryStore(watched, options.inventoryNamespace, warnOnce(host));
  const giver = await giverOf(from, assembly, store);
  if (giver.manager === receiver.manager) throw toItself(receiver);
  const resolved = resolveReferences(assembly, [receiver], options.references);
  const selection = selectionOf(await stepsInForce(watched, stepsOf(resolved, [receiver]), options, () => {}), limits);
  for (const step of selection.steps) await requireEqualValues(watched, step, giver.manager);
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
  try {
    const { given, object: left } = await giveUp(cluster, step, giver.manager, selection);
    const object = selection.isWhole ? await releaseMark(cluster, step, giver.manager, left) : left;
    const hasLeft =
      object !== undefined && applyEntryOf(object, giver.manager) === undefined && applyEntryOf(object, manager) !== undefined;
    const life = hasLeft && giver.stack !== undefined && (await moveLife(handing.records, step, giver.stack, handing.identity));
    const fields = membersOf(given)
      .filter(({ leaf }) => leaf)
      .map(({ path }) => path);
    const declared = declaredByGiver(assembly, giver.manager, step)?.object;
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

/** The part that would end is the one that was to get it. */
function toItself({ name, manager }: StackManifest): FieldwiseError {
  return new FieldwiseError('handoff-to-itself', 'usage', `Stack ${name} cannot hand fields over to itself`, {
    location: { manager },
    next: 'Name the stack that is to get the fields with --to.',
  });
}
