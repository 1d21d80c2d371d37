import { objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { guardDiagnostics } from '../../engine/guards/guard-diagnostics.js';
import { inventoriesIn } from '../../engine/prepare/prepare-run.js';
import { selectStacks } from '../../engine/prepare/select-stacks.js';
import type { EventHost, RunSummary } from '../../engine/report/events.js';
import { type RunDiagnostic, warnOnce } from '../../engine/report/run-diagnostic.js';
import { withRetryEvents } from '../../engine/run/session.js';
import { selectionOf } from '../../engine/transfer/handoff-selection.js';
import { isTransfer } from '../../engine/transfer/ownership-transfers.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { type EntryIdentity, isOfClientSideKubectl } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { type Json, jsonEqual } from '../../util/json.js';
import { timeText } from '../../util/machine.js';
import type { AdoptOptions } from './adopt-options.js';
import {
  type AdoptionCandidate,
  type AdoptionCandidates,
  findCandidates,
  type PrunedElsewhere,
  prunedElsewhere,
} from './adoption-candidates.js';
import { type Adoption, adoptionOf, carryOutAdoptions, movedFieldsOf, recordedAdoptions } from './carry-out-adoptions.js';
import { coOwn, findNamedOwnership, type NamedOwnership } from './co-own.js';
import { moveLifecycles, reappliedFields, withStillDeclared } from './move-from-stack.js';
import { isOfStack, type PreviousOwner, previousOwnersOf } from './previous-owner.js';
import { type RunningAdoption, runAdoption } from './run-adoption.js';

export type { AdoptOptions };

/** Named owners that own none of the declared fields. */
export interface AbsentOwners {
  /** The names in `from`. */
  readonly names: readonly string[];
  /** The other field managers that own some of the declared fields. */
  readonly others: readonly string[];
}

/** The result of an adoption, with the objects that could not be adopted. */
export interface AdoptionResult {
  readonly adoptions: readonly Adoption[];
  /** Objects that the stack has not deployed yet, so that it owns none of their fields. */
  readonly notDeployed: readonly string[];
  /** Objects that their stack may now delete. */
  readonly transferredLifecycles: readonly string[];
  /** Objects that their stack could delete, if it had been confirmed; they are only released. */
  readonly released: readonly string[];
  /** Objects that are only released when they are no longer declared, because others apply fields to them. */
  readonly retained: readonly { readonly object: string; readonly by: readonly string[] }[];
  /** Objects of the stacks that another tool prunes. */
  readonly prunedElsewhere: readonly PrunedElsewhere[];
  /** Present if some of the named owners own none of the declared fields. */
  readonly absentOwners?: AbsentOwners;
  /** Present if the stacks could not apply objects whose fields they did not own yet: nothing was adopted. */
  readonly deployed?: RunSummary;
}

/**
 * Ends other managers' ownership of fields that the selected stacks declare and own. Other fields of these managers keep their owners. The only
 * value that changes is the annotation of client-side apply, from which all fields of the stacks are removed, owned by other managers or not.
 *
 * From named owners, objects of which the stacks do not own these fields yet are applied first, and no others; so each field has an owner at
 * every moment. That apply changes no value and takes no field. From a stack, the right to delete moves with an object of which that stack has
 * no field left. To finish an interrupted adoption, run it again.
 *
 * @throws FieldwiseError before anything is changed: `confirmation-needed`, `adopt-from-stack`, `stack-unknown`, `handoff-to-itself`,
 *   `handoff-before-rename`, `handoff-value-differs`, `handoff-changes-values`, `handoff-not-declared`, `handoff-dynamic`,
 *   `transfer-from-subresource`; and the errors of locks and inventories.
 */
export async function adopt(assembly: Assembly, cluster: ClusterClient, options: AdoptOptions, host: EventHost): Promise<AdoptionResult> {
  const { app, instance } = assembly.manifest;
  const watched = withRetryEvents(cluster, host);
  const store = inventoriesIn(watched, options, warnOnce(host));
  const previous = options.from && (await previousOwnersOf(options.from, assembly, store));
  requireOthers(assembly, options, previous);
  const ofStack = previous?.find(isOfStack);
  const named = previous && (await findNamedOwnership(assembly, watched, store, previous, options));
  for (const warning of named?.ofSubresources ?? []) host(warning);
  const approved = new Map<string, Adoption>();
  if (named && named.notOwned.length > 0) {
    const adoptions = named.notOwned.map(adoptionOf);
    if (!(await options.confirm(adoptions))) throw adoptionRefusedError();
    for (const adoption of adoptions) approved.set(`${adoption.stack} ${adoption.object}`, adoption);
    const objects = recordedAdoptions(named.notOwned, { fields: named.notOwned, lifecycles: [] });
    if (ofStack === undefined) await options.record({ app, instance, server: cluster.server, time: timeText(cluster.machine), objects });
    const deployed = await coOwn(assembly, cluster, named.notOwned, options, host);
    if (!deployed.ok) return { ...nothingAdopted, deployed };
  }
  const isApproved = (adoption: Adoption) => {
    const known = approved.get(`${adoption.stack} ${adoption.object}`);
    return known !== undefined && jsonEqual(known as unknown as Json, adoption as unknown as Json);
  };
  const work = async ({ session, identities, steps: all }: RunningAdoption): Promise<AdoptionResult> => {
    const recipients = all.filter(({ stack }) => stack.manager !== ofStack?.manager);
    const selection = selectionOf(recipients, options.limits ?? []);
    const { steps, select } = selection;
    const found = await findCandidates(session, steps, options, (live) => ({ live, isAdoptable: isAdoptable(previous) }), select);
    const fields = found.found.filter(({ transfers }) => isTransfer(transfers));
    const unasked = fields.filter((candidate) => !isApproved(adoptionOf(candidate)));
    if (unasked.length === 0 && approved.size === 0 && named && named.ofSubresources.length > 0 && fields.length === 0)
      throw subresourceError(named.ofSubresources);
    for (const warning of await guardDiagnostics(session.cluster, unasked.map(movedFieldsOf))) host(warning);
    for (const warning of found.warnings) host(warning);
    const isMoving = ofStack !== undefined || !selection.isWhole;
    const deletable = isMoving ? [] : withoutDeletion(found.found).map(({ step }) => objectText(step.intent));
    if (unasked.length > 0 && !(await options.confirm(unasked.map(adoptionOf), deletable))) throw adoptionRefusedError();
    const { lifecycles, released } = isMoving ? { lifecycles: [], released: [] } : await askLifecycles(found.found, options);
    const facts = { ...factsOf(found), released, ...absentOwnersOf(named, options) };
    const objects = recordedAdoptions(found.found, { fields, lifecycles });
    if (ofStack === undefined && objects.length > 0 && (unasked.length > 0 || lifecycles.length > 0))
      await options.record({ app, instance, server: cluster.server, time: timeText(cluster.machine), objects });
    const done = await carryOutAdoptions(session, identities, { fields, lifecycles }, options);
    const adoptions = withStillDeclared(assembly, done.adoptions, fields, ofStack);
    for (const warning of reappliedFields(assembly, fields, adoptions, ofStack)) host(warning);
    if (ofStack === undefined || !selection.isWhole) return { ...done, adoptions, ...facts };
    const failed = new Set(fields.filter((_, index) => adoptions[index]?.result === 'failed').map(({ step }) => step));
    const moved = await moveLifecycles(
      { session, identities, previous: ofStack },
      steps.filter((step) => !failed.has(step)),
    );
    return { ...facts, adoptions: [...adoptions, ...moved.failed], transferredLifecycles: moved.objects };
  };
  return runAdoption(assembly, cluster, options, host, work, ofStack?.stack ? [ofStack.stack] : []);
}

const nothingAdopted: AdoptionResult = {
  adoptions: [],
  notDeployed: [],
  transferredLifecycles: [],
  released: [],
  retained: [],
  prunedElsewhere: [],
};

/** Asks for the right to delete objects that existed before their stacks: `lifecycles` get it, and those of `released` do not. */
export async function askLifecycles(
  found: readonly AdoptionCandidate[],
  { confirmLifecycle }: Pick<AdoptOptions, 'confirmLifecycle'>,
): Promise<{ readonly lifecycles: readonly AdoptionCandidate[]; readonly released: readonly string[] }> {
  const offered = withoutDeletion(found);
  const objects = offered.map(({ step }) => objectText(step.intent));
  const approved = offered.length > 0 && (await confirmLifecycle?.(objects)) === true;
  return approved ? { lifecycles: offered, released: [] } : { lifecycles: [], released: objects };
}

/** Returns the objects that their stack does not delete, and could. */
function withoutDeletion(found: readonly AdoptionCandidate[]): readonly AdoptionCandidate[] {
  return found.filter(({ canTransferLifecycle }) => canTransferLifecycle);
}

/** Returns the part of a result that was known before the first change. */
export function factsOf(found: AdoptionCandidates): Pick<AdoptionResult, 'notDeployed' | 'retained' | 'prunedElsewhere'> {
  return {
    notDeployed: found.notDeployed.map(({ intent }) => objectText(intent)),
    retained: found.retained,
    prunedElsewhere: prunedElsewhere(found),
  };
}

function absentOwnersOf(
  named: NamedOwnership | undefined,
  { from = [] }: Pick<AdoptOptions, 'from'>,
): Pick<AdoptionResult, 'absentOwners'> {
  if (named === undefined || named.absent.length === 0) return {};
  return { absentOwners: { names: named.absent.map((position) => from[position] as string), others: named.others } };
}

/** Returns the error of an adoption that nobody confirmed. */
export function adoptionRefusedError(): FieldwiseError {
  return new FieldwiseError('confirmation-needed', 'usage', 'The adoption was not confirmed, and nothing was changed', {
    next: 'Read the preview, then run again with --yes.',
  });
}

/** @throws FieldwiseError `handoff-to-itself` where the only selected stack is the one that gives up fields. */
function requireOthers(assembly: Assembly, { stacks }: Pick<AdoptOptions, 'stacks'>, previous: readonly PreviousOwner[] = []): void {
  const selected = selectStacks(assembly, stacks);
  const [only] = selected;
  if (only === undefined || selected.length > 1 || !previous.some(({ manager }) => manager === only.manager)) return;
  throw new FieldwiseError('handoff-to-itself', 'usage', `Stack ${only.name} cannot adopt fields from itself`, {
    location: { manager: only.manager },
    next: 'Name the stack that is to own the fields, and the one that owns them with --from.',
  });
}

/** Returns the error of an adoption that would end nothing: the named owner owns the fields through a subresource alone. */
function subresourceError([first]: readonly RunDiagnostic[]): FieldwiseError {
  const { message, next } = first as RunDiagnostic;
  return new FieldwiseError('transfer-from-subresource', 'usage', message, { next: `Nothing was changed. ${next}` });
}

/**
 * Returns the test for entries to adopt from. kubectl's manager names begin with `kubectl`; the server's own names stand for fields from
 * before the first apply (`before-first-apply`) and for old entries of updaters (`ancient-changes`).
 */
function isAdoptable(previous: readonly PreviousOwner[] | undefined): (entry: EntryIdentity) => boolean {
  return previous === undefined ? isOfClientSideKubectl : (entry) => previous.some(({ isOwner }) => isOwner(entry));
}
