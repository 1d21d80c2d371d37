import { identityKey, objectText } from '../../../assembly/identity.js';
import type { Assembly } from '../../../assembly/types.js';
import type { Step } from '../../../engine/graph/waves.js';
import { applySetAnnotations, applySetOf, ownTooling } from '../../../engine/pruners/apply-set.js';
import type { EventHost } from '../../../engine/report/events.js';
import { explain } from '../../../engine/report/explain.js';
import type { ReportedError } from '../../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../../engine/run/options.js';
import type { Session } from '../../../engine/run/session.js';
import { isTransfer } from '../../../engine/transfer/ownership-transfers.js';
import type { ClusterClient } from '../../../kubernetes/index.js';
import { FieldwiseError } from '../../../util/error.js';
import { timeText } from '../../../util/machine.js';
import { type AdoptionResult, type AdoptOptions, adoptionRefusedError, askLifecycles, factsOf } from '../adopt.js';
import { type AdoptionCandidate, findCandidates } from '../adoption-candidates.js';
import { type Adoption, adoptionOf, carryOutAdoptions, recordedAdoptions } from '../carry-out-adoptions.js';
import { runAdoption } from '../run-adoption.js';
import { adoptableMember } from './adoptable-member.js';
import { recordOf } from './apply-set-scope.js';
import {
  type DividedMembers,
  divideMembers,
  type RemainingMember,
  requireNoLabel,
  type TakenMember,
  unrecordedMembers,
} from './divide-members.js';
import { type ApplySet, findApplySet } from './find-apply-set.js';
import { changedError, closeApplySet, reduceRecord, removeFromSet } from './leave-apply-set.js';
import { listMembers } from './list-members.js';
import { recordedApplySetOf } from './recorded-apply-set.js';

export interface AdoptApplySetOptions extends Omit<AdoptOptions, 'from' | 'confirm'> {
  /** The parent of the set, named as in kubectl. */
  readonly applySet: string;
  /** Leaves members in the set that no selected stack owns, instead of refusing the takeover. @default false */
  readonly leaveUndeclared?: boolean;
  /** Receives the set before anything is changed or refused. */
  readonly show: (preview: ApplySetPreview) => void;
  /** Receives the planned changes of owners; resolves to true if the takeover may be carried out. */
  readonly confirm: (preview: ApplySetPreview) => Promise<boolean>;
}

/** A set before its takeover. */
export interface ApplySetPreview {
  /** The parent, such as `Secret shop/web`. */
  readonly applySet: string;
  readonly id: string;
  readonly members: readonly { readonly object: string; readonly stack: string }[];
  /** Members that no selected stack owns. */
  readonly remaining: readonly { readonly object: string; readonly reason: RemainingMember['reason'] }[];
  /** Kinds in the record of the parent that the server no longer serves. */
  readonly unserved: readonly string[];
  readonly adoptions: readonly Adoption[];
}

/** The result for one member. */
export interface MemberResult {
  readonly object: string;
  readonly stack: string;
  readonly result: 'left' | 'failed';
  readonly error?: ReportedError;
}

/** The result of a takeover. */
export interface AdoptApplySetResult extends AdoptionResult {
  readonly members: readonly MemberResult[];
  /** The error of the parent, whose record was not reduced; nothing was adopted then. */
  readonly error?: ReportedError;
}

/** A takeover before its first change. */
interface PreparedSet extends DividedMembers {
  readonly set: ApplySet;
  /** The objects of the set that the stacks have deployed, and after an interrupt those that have already left it. */
  readonly candidates: readonly AdoptionCandidate[];
  readonly facts: Pick<AdoptionResult, 'notDeployed' | 'retained' | 'prunedElsewhere'>;
}

/**
 * Takes over an ApplySet of kubectl as a whole. First the set is closed to kubectl, then each member loses its label, then the parent its
 * record of them; only then do the stacks become the only owners of the fields that they declare, and get the right to delete the objects.
 * Each write is pinned to the object as it was read. A run after an interrupt continues.
 *
 * @throws FieldwiseError `applyset-unknown`, `applyset-invalid`, `applyset-of-other-tool`, `applyset-incomplete`,
 * `applyset-label-declared`, `applyset-changed`, `confirmation-needed`, `stack-unknown`, with nothing changed; and the errors of locks and
 * inventories.
 */
export async function adoptApplySet(
  assembly: Assembly,
  cluster: ClusterClient,
  options: AdoptApplySetOptions,
  host: EventHost,
): Promise<AdoptApplySetResult> {
  const { app, instance } = assembly.manifest;
  return runAdoption(assembly, cluster, options, host, async ({ session, identities, steps }) => {
    requireNoLabel(steps);
    const prepared = await prepareSet(session, steps, options);
    const { set, taken, candidates, facts } = prepared;
    const fields = candidates.filter(({ transfers }) => isTransfer(transfers));
    const preview = previewOf(prepared, fields);
    options.show(preview);
    requireWholeSet(prepared, options);
    const leaves = taken.length > 0 || isInterrupted(prepared);
    if ((leaves || fields.length > 0) && !(await options.confirm(preview))) throw adoptionRefusedError();
    const { lifecycles, released } = await askLifecycles(candidates, options);
    const result = { ...facts, released };
    const objects = recordedAdoptions(candidates, { fields, lifecycles });
    if (!leaves && objects.length === 0) return { members: [], adoptions: [], transferredLifecycles: [], ...result };
    await options.record({
      app,
      instance,
      server: cluster.server,
      time: timeText(cluster.machine),
      objects,
      ...(leaves ? { applySet: recordedApplySetOf(set, taken) } : {}),
    });
    const { stay, ...left } = leaves ? await leaveApplySet(session, prepared, options) : { members: [], stay: new Set<string>() };
    const hasLeft = ({ step }: AdoptionCandidate) => left.error === undefined && !stay.has(step.key);
    const agreed = { fields: fields.filter(hasLeft), lifecycles: lifecycles.filter(hasLeft) };
    return { ...left, ...(await carryOutAdoptions(session, identities, agreed, options)), ...result };
  });
}

/** Reads the set and the objects of the stacks. */
async function prepareSet(session: Session, steps: readonly Step[], options: AdoptApplySetOptions): Promise<PreparedSet> {
  const set = await findApplySet(session.cluster, options.applySet);
  const isResumed = set.annotations[applySetAnnotations.tooling] === ownTooling;
  const found = await findCandidates(session, steps, options, (live) => adoptableMember(live, set.id, isResumed));
  const listed = await listMembers(session.cluster, set, options.concurrency);
  const members = [...listed, ...(await unrecordedMembers(session.cluster, set.id, found, listed))];
  const divided = divideMembers(members, steps, found);
  const stay = new Set(divided.remaining.map(({ member }) => identityKey(member)));
  const isInReach = ({ step }: AdoptionCandidate) => {
    const label = applySetOf(found.live.get(step));
    return !stay.has(step.key) && (label === set.id || (isResumed && label === undefined));
  };
  const { prunedElsewhere, ...facts } = factsOf(found);
  const others = prunedElsewhere.filter(({ code, name }) => code !== 'in-applyset' || !name.endsWith(set.id));
  const candidates = found.found.filter(isInReach);
  return { set, ...divided, candidates, facts: { ...facts, prunedElsewhere: others } };
}

function previewOf({ set, taken, remaining }: PreparedSet, fields: readonly AdoptionCandidate[]): ApplySetPreview {
  return {
    applySet: set.object,
    id: set.id,
    members: taken.map(memberText),
    remaining: remaining.map(({ member, reason }) => ({ object: objectText(member), reason })),
    unserved: set.scope.unserved,
    adoptions: fields.map(adoptionOf),
  };
}

function memberText({ member, step }: TakenMember): { readonly object: string; readonly stack: string } {
  return { object: objectText(member), stack: step.stack.name };
}

/** Returns true if an earlier takeover has closed the set and has not reduced its record. */
function isInterrupted({ set, remaining }: PreparedSet): boolean {
  const { tooling, groupKinds, groupResources, namespaces } = applySetAnnotations;
  const { annotations } = set;
  if (annotations[tooling] !== ownTooling) return false;
  const wanted = recordOf(
    remaining.map(({ member }) => member),
    set.address.namespace,
  );
  return (
    annotations[groupKinds] !== wanted.groupKinds ||
    (annotations[namespaces] ?? '') !== wanted.namespaces ||
    annotations[groupResources] !== undefined
  );
}

const shownObjects = 20;

/** @throws FieldwiseError `applyset-incomplete`. */
function requireWholeSet({ set, remaining }: PreparedSet, { leaveUndeclared }: AdoptApplySetOptions): void {
  if (remaining.length === 0 || leaveUndeclared) return;
  const named = remaining.slice(0, shownObjects).map(({ member, reason }) => `${objectText(member)} (${reason})`);
  const more = remaining.length > shownObjects ? `, and ${remaining.length - shownObjects} more` : '';
  throw new FieldwiseError(
    'applyset-incomplete',
    'usage',
    `The selected stacks do not own all members of the ApplySet, so nothing was changed: ${named.join(', ')}${more}`,
    {
      location: { object: set.object },
      next: 'Declare these objects with `own` and deploy, then run again. With --leave-undeclared they stay in the set; nothing prunes them any more, because kubectl refuses the set afterwards.',
    },
  );
}

/** Ends the membership of the taken members, and reduces the record of the parent; `stay` has the keys of those that could not leave. */
async function leaveApplySet(
  { cluster }: Session,
  { set, taken, remaining }: PreparedSet,
  { concurrency = defaultConcurrency }: AdoptApplySetOptions,
): Promise<Pick<AdoptApplySetResult, 'members' | 'error'> & { readonly stay: ReadonlySet<string> }> {
  await closeApplySet(cluster, set);
  const failures = new Map<string, ReportedError>();
  await forEachConcurrent(taken, concurrency, async ({ member }) => {
    await removeFromSet(cluster, set, member).catch((error: unknown) => failures.set(member.uid, explain(error)));
  });
  for (const { uid } of await listMembers(cluster, set, concurrency)) {
    const again = taken.some(({ member }) => member.uid === uid) && !failures.has(uid);
    if (again) failures.set(uid, explain(changedError(undefined, 'Another client has added the object to the ApplySet again')));
  }
  const members = taken.map((one): MemberResult => {
    const error = failures.get(one.member.uid);
    return { ...memberText(one), ...(error === undefined ? { result: 'left' } : { result: 'failed', error }) };
  });
  const failed = taken.flatMap(({ member }) => (failures.has(member.uid) ? [member] : []));
  const result = { members, stay: new Set(failed.map(identityKey)) };
  try {
    await reduceRecord(cluster, set, [...remaining.map(({ member }) => member), ...failed]);
    return result;
  } catch (error) {
    return { ...result, error: explain(error) };
  }
}
