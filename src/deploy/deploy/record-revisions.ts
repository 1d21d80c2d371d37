import type { PartialObject, StackManifest } from '../../assembly/types.js';
import { currentUser } from '../../engine/history/current-user.js';
import { HistoryStore } from '../../engine/history/history-store.js';
import { movedRevisions } from '../../engine/history/move-history.js';
import { removeHistory } from '../../engine/history/remove-history.js';
import { defaultMaxBytes, type Revision } from '../../engine/history/revision.js';
import { bodyOf, digestOfBody, packBody, type RevisionBody } from '../../engine/history/revision-body.js';
import { maxSubject } from '../../engine/history/revision-details.js';
import { unknownHistoryWarnings } from '../../engine/history/unknown-history.js';
import { clusterIdentityReader, isUnknown } from '../../engine/inventory/cluster-identity.js';
import { stackIdentityOf } from '../../engine/prepare/prepare-run.js';
import { explain } from '../../engine/report/explain.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import type { HistoryOptions } from '../../engine/run/history-options.js';
import type { StackState } from '../../engine/run/stack-state.js';
import { isSecret } from '../../fields/object.js';
import { type Json, jsonEqual } from '../../util/json.js';
import { timeText } from '../../util/machine.js';
import type { Outcome } from '../../util/outcome.js';
import type { AppliedWaves } from './apply-waves.js';
import type { ConfirmedDeploy } from './confirm-deploy.js';

/** The parts of a revision that are the same for all stacks of a deploy. */
type Origin = Pick<Revision, 'by' | 'cluster' | 'commit' | 'subject' | 'uncommittedChanges'>;

type Counts = Partial<Record<Outcome, number>>;

/**
 * Records a revision of each stack that the deploy has changed, or whose declarations differ from those of its last revision. A revision
 * that cannot be recorded is a warning: the deploy is complete.
 */
export async function recordRevisions(deploy: ConfirmedDeploy, applied: AppliedWaves): Promise<void> {
  const { options, states, concurrency } = deploy;
  const { history } = options;
  if (history === undefined || options.targets !== undefined) return;
  let origin: Promise<Origin> | undefined;
  const originOnce = () => {
    origin ??= originOf(deploy, history);
    return origin;
  };
  await forEachConcurrent(states, concurrency, async (state) => {
    const { stack, steps, writeFailure } = state;
    const counts = deploy.run.countsOf(stack.manager);
    const isComplete = writeFailure === undefined && !steps.some((step) => applied.failed.has(step)) && deploy.run.stopped === undefined;
    const result = isComplete && !(counts.failed ?? 0) && !(counts.conflict ?? 0) ? 'succeeded' : 'failed';
    try {
      await recordStack(deploy, state, { history, counts, result, originOnce });
    } catch (error) {
      const { message, next = 'The deploy is complete. Deploy again when the server takes it, to record a revision.' } = explain(error);
      deploy.host({
        event: 'warning',
        code: 'revision-not-recorded',
        message: `No revision of stack ${stack.name} was recorded: ${message}`,
        next,
      });
    }
  });
}

interface Recording {
  readonly history: HistoryOptions;
  readonly counts: Counts;
  readonly result: Revision['result'];
  readonly originOnce: () => Promise<Origin>;
}

async function recordStack(deploy: ConfirmedDeploy, state: StackState, { history, counts, result, originOnce }: Recording): Promise<void> {
  const { stack } = state;
  const { assembly, session, options, host } = deploy;
  const isChanged = changingOutcomes.some((outcome) => (counts[outcome] ?? 0) > 0);
  if (result === 'failed' && !isChanged && !counts.applied) return;
  const target = history.rollbacks?.get(stack.name) ?? history.rollback;
  const body = target?.body ?? (await declaredBody(deploy, stack));
  const digest = digestOfBody(body);
  const identity = stackIdentityOf(assembly, stack);
  const store = new HistoryStore(session.records, options.inventoryNamespace, async (one) => state.vouchOf(one));
  const stored = await store.read(identity, { trusted: target?.trusted });
  const moved = await movedRevisions({ store, former: state.formerHistories, stack, onWarning: host }, stored);
  const last = moved.at(-1)?.revision ?? stored.revisions.at(-1);
  const { inputs } = assembly.manifest;
  const isSame = last?.digest === digest && jsonEqual(last.inputs as Json | undefined, inputs as Json | undefined);
  const isTrusted = target?.trusted !== undefined; // Its list becomes known, whatever else happens.
  if (last === undefined && !isChanged && stack.intents.length === 0) return; // There is nothing to go back to or from.
  if (!isTrusted && moved.length === 0 && !isChanged && isSame && (last.result === 'succeeded' || result === 'failed')) {
    if (result === 'succeeded' && state.hasFormerInventories) await endFormerNames(deploy, state, store); // a run that was killed has left them
    return;
  }
  const packed = packBody(identity, body);
  const rollback = target ? { rollbackTo: target.revision } : {};
  const made = {
    at: timeText(session.records.machine),
    digest,
    result,
    counts,
    ...(await originOnce()),
    run: session.run,
    ...rollback,
    ...(inputs ? { inputs } : {}),
  };
  for (const warning of unknownHistoryWarnings(stored, store.namespace, { records: true })) host(warning);
  const drafts = [...moved, { revision: made, body: packed }];
  const { revision, body: recorded } = await store.append(stored, drafts, history, (vouch) => state.writeVouch(vouch));
  if (result === 'succeeded') await endFormerNames(deploy, state, store);
  if (recorded !== undefined) return;
  host({
    event: 'warning',
    code: 'revision-without-body',
    message: `Revision ${revision} of stack ${stack.name} is recorded without its declarations, and no rollback to it is possible: they are larger than ${history.maxBytes ?? defaultMaxBytes} bytes`,
    next: 'Raise `history.maxBytes` in fieldwise.yaml, or split the stack.',
  });
}

/** Removes the histories and the inventories of former names: the revisions have moved. */
async function endFormerNames({ session, options, host }: ConfirmedDeploy, state: StackState, store: HistoryStore): Promise<void> {
  for (const former of state.formerHistories) {
    const left = await store.read(former, { all: true });
    const isKnown = left.unknown.length === 0;
    for (const warning of unknownHistoryWarnings(left, store.namespace)) host(warning);
    if (isKnown) await removeHistory(session.records, options.inventoryNamespace, former, host);
  }
  await state.endFormerInventories();
}

async function declaredBody({ assembly, keys }: ConfirmedDeploy, stack: StackManifest): Promise<RevisionBody> {
  const objects = assembly.objects[assembly.manifest.stacks.indexOf(stack)] ?? [];
  return bodyOf(stack, objects, hasSecretValues(stack, objects) ? await keys.get(stack.manager, true) : undefined);
}

/** `applied` is not among them: nothing proves a change. */
const changingOutcomes: readonly Outcome[] = ['created', 'updated', 'recreated', 'deleted', 'released'];

function hasSecretValues({ intents }: StackManifest, objects: readonly PartialObject[]): boolean {
  return intents.some((intent, index) => {
    const object = isSecret(intent) ? objects[index] : undefined;
    return object?.data !== undefined || object?.stringData !== undefined;
  });
}

async function originOf({ session, options }: ConfirmedDeploy, history: HistoryOptions): Promise<Origin> {
  const { readIdentity = clusterIdentityReader(session.records, options.inventoryNamespace) } = options;
  const { commit: readCommit, subject: readSubject, uncommittedChanges } = history;
  const reads = [currentUser(session.records), readIdentity(), readCommit?.(), readSubject?.(), uncommittedChanges?.()] as const;
  const [user, cluster, commit, subject, isChanged] = await Promise.all(reads);
  const by = user ?? history.kubeconfigUser;
  return {
    ...(by === undefined ? {} : { by }),
    ...(isUnknown(cluster) ? {} : { cluster }),
    ...(commit === undefined ? {} : { commit }),
    // Without a commit, only that Git did not tell is worth a note.
    ...(isChanged === 'unknown' || (commit !== undefined && isChanged) ? { uncommittedChanges: isChanged } : {}),
    ...(subject === undefined ? {} : { subject: subject.slice(0, maxSubject) }),
  };
}
