import type { Assembly, StackManifest } from '../../assembly/types.js';
import { clusterWarning } from '../../engine/history/cluster-warning.js';
import { HistoryStore } from '../../engine/history/history-store.js';
import { readBody } from '../../engine/history/read-body.js';
import { type Revision, revisionAt } from '../../engine/history/revision.js';
import type { RevisionBody } from '../../engine/history/revision-body.js';
import { unknownHistoryWarnings } from '../../engine/history/unknown-history.js';
import { DigestKeys } from '../../engine/inventory/digest-keys.js';
import { InventoryStore } from '../../engine/inventory/inventory-store.js';
import type { GoingBack } from '../../engine/prepare/moved-objects.js';
import {
  asDeclaredNow,
  emptyStack,
  type OpenHistory,
  openRevision,
  revisionWarnings,
  withEmptyStack,
} from '../../engine/prepare/open-revision.js';
import { stackIdentityOf } from '../../engine/prepare/prepare-run.js';
import type { PlannedObject, PlanSummary } from '../../engine/report/plan-types.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import type { RollbackTarget } from '../../engine/run/history-options.js';
import type { SavedPlan } from '../../engine/run/saved-plan.js';
import { timeWarnings } from '../../inspect/history/time-warnings.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { plan } from '../../plan/plan.js';
import { FieldwiseError } from '../../util/error.js';
import { reportChangesOfOthers } from './changes-of-others.js';
import { openLast, type RollbackEvent, type RollbackOptions } from './plan-rollback.js';

/** A rollback of all stacks of a program that is planned: the deploy is bound to this plan. */
export interface RunRollbackPlan {
  /** The program, with the stacks of the revisions in place of its own. */
  readonly assembly: Assembly;
  /** The revisions to which stacks go back, by their names. */
  readonly targets: ReadonlyMap<string, RollbackTarget>;
  readonly summary: PlanSummary;
  readonly saved: SavedPlan;
  /** The planned objects that would change. */
  readonly changes: readonly PlannedObject[];
}

export interface RunRollbackOptions extends Omit<RollbackOptions, 'revision' | 'stacks' | 'trustHistory'> {
  /** The identity of the run, as its revisions have it. */
  readonly run: string;
}

/**
 * Plans the way of all stacks of a program back to what was deployed when a run had ended: each stack of the run to its revision, each other one to
 * its last revision before. A stack that cannot go back is named, and stays. Changes nothing.
 *
 * @throws FieldwiseError `revision-unknown` (usage) if no history has the run, or that of a stack is not the one that its inventory knows; as `openRevision` and `plan`.
 */
export async function planRunRollback(
  program: Assembly,
  cluster: ClusterClient,
  options: RunRollbackOptions,
  host: (event: RollbackEvent) => void,
): Promise<RunRollbackPlan> {
  const { run, inventoryNamespace } = options;
  const { base, histories } = await openHistories(program, cluster, inventoryNamespace, host);
  const ends = histories.flatMap(({ history }) => history.revisions.filter((one) => one.run === run).map(({ at }) => Date.parse(at)));
  if (ends.length === 0) {
    throw new FieldwiseError('revision-unknown', 'usage', `The histories of the stacks have no run ${run}`, {
      next: '`fieldwise history` shows the run of each revision; those of earlier versions have none.',
    });
  }
  const end = Math.max(...ends);
  const chosen = histories.flatMap((opened) => {
    const revision = revisionAt(opened.history.revisions, run, end);
    if (revision?.body !== undefined) return [{ opened, revision }];
    host(leftWarning(opened.stack.name, run, revision));
    return [];
  });
  const bodies = await Promise.all(chosen.map(({ opened, revision }) => readBody(opened, revision)));
  const targets = new Map<string, RollbackTarget>();
  const stacks = [...base.manifest.stacks];
  const objects = [...base.objects];
  const goingBack = chosen.map(({ opened: { stack } }, index): GoingBack => ({ stack, body: bodies[index] as RevisionBody }));
  for (const [index, { opened, revision }] of chosen.entries()) {
    // An object that moved between stacks goes back with them, so each stack is compared with what the others will be.
    const others = goingBack.toSpliced(index, 1);
    const restored = await openRevision({ ...opened, program: withBodies(base, others) }, revision, others);
    const position = base.manifest.stacks.indexOf(opened.stack);
    stacks[position] = restored.assembly.manifest.stacks[position] as StackManifest;
    objects[position] = restored.assembly.objects[position] ?? [];
    targets.set(opened.stack.name, { revision: revision.revision, body: restored.recorded });
    const { body: _, ...to } = revision;
    const { body: __, ...from } = opened.history.revisions.at(-1) as Revision;
    host({ event: 'rollback', stack: opened.stack.name, from, to });
    const identity = revision.cluster && (await options.readIdentity?.());
    const warning = identity && clusterWarning(revision, identity);
    for (const each of [...(warning ? [warning] : []), ...revisionWarnings(restored)]) host(each);
    const last = await openLast(opened);
    if (last) await reportChangesOfOthers(opened, last, { ...options, stacks: [opened.stack.name] }, host);
  }
  const { inputs: _, unset: __, ...manifest } = base.manifest;
  const inputs = chosen.find(({ revision }) => revision.run === run)?.revision.inputs;
  const assembly = { manifest: { ...manifest, ...(inputs ? { inputs } : {}), stacks, warnings: [] }, objects };
  const changes: PlannedObject[] = [];
  let saved: SavedPlan | undefined;
  const save = async (made: SavedPlan) => {
    saved = made;
  };
  const summary = await plan(assembly, cluster, { ...options, stacks: [...targets.keys()], save }, (event) => {
    if (event.event === 'plan' && event.action !== 'unchanged') changes.push(event);
    host(event);
  });
  return { assembly, targets, summary, saved: saved as SavedPlan, changes };
}

/** Opens the histories of the stacks of a program, and of those that it has in the cluster and declares no longer. */
async function openHistories(
  program: Assembly,
  cluster: ClusterClient,
  inventoryNamespace: string | undefined,
  host: (warning: RunDiagnostic) => void,
): Promise<{ readonly base: Assembly; readonly histories: readonly OpenHistory[] }> {
  const { app, instance, stacks } = program.manifest;
  const inventories = await new InventoryStore(cluster, inventoryNamespace).read();
  const undeclared = inventories
    .map(({ stack }) => stack)
    .filter((one) => one.app === app && one.instance === instance && !stacks.some(({ manager }) => manager === one.manager));
  const base = undeclared.reduce((whole, one) => withEmptyStack(whole, emptyStack(program, one)), program);
  const store = new HistoryStore(cluster, inventoryNamespace);
  const keys = new DigestKeys(cluster, inventoryNamespace, host);
  const histories: OpenHistory[] = [];
  for (const stack of base.manifest.stacks) {
    const history = await store.read(stackIdentityOf(base, stack));
    for (const warning of unknownHistoryWarnings(history, store.namespace)) {
      if (history.revisions.length === 0) throw unknownError(warning);
      host(warning);
    }
    for (const warning of timeWarnings(history, cluster.machine.wall())) host(warning);
    histories.push({ program: base, cluster, store, stack, history, keys, inventoryNamespace });
  }
  return { base, histories };
}

/** A stack whose revisions are not known cannot be told from one that had none. */
function unknownError({ message, next }: RunDiagnostic): FieldwiseError {
  return new FieldwiseError('revision-unknown', 'usage', message, {
    next: `Nothing was changed: the stacks of a run go back together. ${next}`,
  });
}

function withBodies({ manifest, objects }: Assembly, targets: readonly GoingBack[]): Assembly {
  const by = new Map(targets.map(({ stack, body }) => [stack, body]));
  const bodyOf = (stack: StackManifest) => by.get(stack);
  return {
    manifest: {
      ...manifest,
      stacks: manifest.stacks.map((stack) => {
        const body = bodyOf(stack);
        return body ? asDeclaredNow(body.stack, stack, { manifest, objects }) : stack;
      }),
    },
    objects: manifest.stacks.map((stack, position) => bodyOf(stack)?.objects ?? objects[position] ?? []),
  };
}

function leftWarning(stack: string, run: string, revision: Revision | undefined): RunDiagnostic {
  const why =
    revision === undefined
      ? `its history has no revision from then or before`
      : `the declarations of its revision ${revision.revision} are not stored`;
  return {
    event: 'warning',
    code: 'stack-stays',
    message: `Stack ${stack} does not go back to run ${run} and stays as it is: ${why}`,
    next: `\`fieldwise history ${stack}\` shows its revisions; \`fieldwise destroy ${stack}\` removes it.`,
  };
}
