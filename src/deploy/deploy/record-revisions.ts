import type { PartialObject, StackManifest } from '../../assembly/types.js';
import { currentUser } from '../../engine/history/current-user.js';
import type { HistoryOptions } from '../../engine/history/history-options.js';
import { HistoryStore } from '../../engine/history/history-store.js';
import { moveHistory } from '../../engine/history/move-history.js';
import { removeHistory } from '../../engine/history/remove-history.js';
import { defaultMaxBytes, type Revision } from '../../engine/history/revision.js';
import { bodyOf, digestOfBody, packBody, type RevisionBody } from '../../engine/history/revision-body.js';
import { clusterIdentityReader, isUnknown } from '../../engine/inventory/cluster-identity.js';
import { explain } from '../../engine/report/explain.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import { stackIdentityOf } from '../../engine/run/prepare-run.js';
import { isSecret } from '../../kubernetes/object.js';
import { type Json, jsonEqual } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import type { AppliedWaves } from './apply-waves.js';
import type { ConfirmedDeploy } from './confirm-deploy.js';

/** The parts of a revision that are the same for all stacks of a deploy. */
type Origin = Pick<Revision, 'by' | 'cluster' | 'commit'>;

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
  await forEachConcurrent(states, concurrency, async ({ stack, steps, writeFailure }) => {
    const counts = deploy.run.countsOf(stack.manager);
    const isComplete = writeFailure === undefined && !steps.some((step) => applied.failed.has(step)) && deploy.run.stopped === undefined;
    const result = isComplete && !(counts.failed ?? 0) && !(counts.conflict ?? 0) ? 'succeeded' : 'failed';
    try {
      await recordStack(deploy, stack, { history, counts, result, originOnce });
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

async function recordStack(
  deploy: ConfirmedDeploy,
  stack: StackManifest,
  { history, counts, result, originOnce }: Recording,
): Promise<void> {
  const { assembly, session, options, host } = deploy;
  const isChanged = changingOutcomes.some((outcome) => (counts[outcome] ?? 0) > 0);
  if (result === 'failed' && !isChanged && !counts.applied) return;
  const body = history.rollback?.body ?? (await declaredBody(deploy, stack));
  const digest = digestOfBody(body);
  const identity = stackIdentityOf(assembly, stack);
  const store = new HistoryStore(session.records, options.inventoryNamespace);
  const stored = await store.read(identity);
  const known = await moveHistory({ store, stack, limits: history, onWarning: host }, stored);
  const last = known.revisions.at(-1);
  const { inputs } = assembly.manifest;
  const isSame = last?.digest === digest && jsonEqual(last.inputs as Json | undefined, inputs as Json | undefined);
  if (known === stored && !isChanged && isSame && (last.result === 'succeeded' || result === 'failed')) return;
  const packed = await packBody(identity, body);
  const rollback = history.rollback ? { rollbackTo: history.rollback.revision } : {};
  const made = {
    at: new Date().toISOString(),
    digest,
    result,
    counts,
    ...(await originOnce()),
    ...rollback,
    ...(inputs ? { inputs } : {}),
  };
  const { revision, body: recorded } = await store.append(known, made, packed, history);
  if (result === 'succeeded') {
    for (const former of stack.formerIdentities ?? []) await removeHistory(session.records, options.inventoryNamespace, former, host);
  }
  if (recorded !== undefined) return;
  host({
    event: 'warning',
    code: 'revision-without-body',
    message: `Revision ${revision} of stack ${stack.name} is recorded without its declarations, and no rollback to it is possible: they are larger than ${history.maxBytes ?? defaultMaxBytes} bytes`,
    next: 'Raise `history.maxBytes` in fieldwise.yaml, or split the stack.',
  });
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
  const [user, cluster, commit] = await Promise.all([currentUser(session.records), readIdentity(), history.commit?.()]);
  const by = user ?? history.kubeconfigUser;
  return { ...(by === undefined ? {} : { by }), ...(isUnknown(cluster) ? {} : { cluster }), ...(commit === undefined ? {} : { commit }) };
}
