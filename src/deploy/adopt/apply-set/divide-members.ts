import { identityKey, objectText } from '../../../assembly/identity.js';
import { addressOf } from '../../../engine/addresses/address.js';
import type { Step } from '../../../engine/graph/waves.js';
import { applySetOf, partOfLabel } from '../../../engine/pruners/apply-set.js';
import { uidOf } from '../../../fields/object.js';
import type { ClusterClient } from '../../../kubernetes/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { AdoptionCandidates } from '../adoption-candidates.js';
import { type ApplySetMember, memberOf } from './list-members.js';

/** A member that a stack takes over, because the stack owns the object and has deployed it. */
export interface TakenMember {
  readonly member: ApplySetMember;
  readonly step: Step;
}

/** A member that no selected stack can take over. */
export interface RemainingMember {
  readonly member: ApplySetMember;
  readonly reason: 'not declared' | 'not deployed' | 'only shared';
}

/** The members of a set by their fate. */
export interface DividedMembers {
  readonly taken: readonly TakenMember[];
  readonly remaining: readonly RemainingMember[];
}

/** Divides the members of a set into those that the stacks own and the others. */
export function divideMembers(members: readonly ApplySetMember[], steps: readonly Step[], { live }: AdoptionCandidates): DividedMembers {
  const declared = new Map<string, Step[]>();
  for (const step of steps) declared.set(step.key, [...(declared.get(step.key) ?? []), step]);
  const taken: TakenMember[] = [];
  const remaining: RemainingMember[] = [];
  for (const member of members) {
    const declaring = declared.get(identityKey(member)) ?? [];
    const deployed = declaring.filter((step) => uidOf(live.get(step)) === member.uid);
    const owner = deployed.find(({ intent }) => intent.lifecycle === 'own');
    if (owner !== undefined) taken.push({ member, step: owner });
    else remaining.push({ member, reason: reasonOf(declaring, deployed) });
  }
  return { taken, remaining };
}

function reasonOf(declaring: readonly Step[], deployed: readonly Step[]): RemainingMember['reason'] {
  if (declaring.length === 0) return 'not declared';
  return deployed.length > 0 ? 'only shared' : 'not deployed';
}

/** Returns the deployed objects with the label of a set that the record of its parent does not lead to. */
export async function unrecordedMembers(
  cluster: ClusterClient,
  id: string,
  { live }: AdoptionCandidates,
  listed: readonly ApplySetMember[],
): Promise<readonly ApplySetMember[]> {
  const known = new Set(listed.map(({ uid }) => uid));
  const found = [...live].filter(([, object]) => applySetOf(object) === id && !known.has(uidOf(object)));
  const members = await Promise.all(found.map(async ([{ intent }, object]) => memberOf(object, await addressOf(cluster, intent))));
  return [...new Map(members.map((member) => [member.uid, member])).values()];
}

/**
 * Refuses programs that declare the label, such as one that was converted from live objects: the stack would return each object to the set.
 *
 * @throws FieldwiseError `applyset-label-declared`.
 */
export function requireNoLabel(steps: readonly Step[]): void {
  const declaring = steps.find((step) => applySetOf(step.object) !== undefined);
  if (declaring === undefined) return;
  throw new FieldwiseError(
    'applyset-label-declared',
    'usage',
    `The program declares the label ${partOfLabel}, which makes an object a member of an ApplySet`,
    {
      location: { object: objectText(declaring.intent), field: `.metadata.labels["${partOfLabel}"]`, ...declaring.intent.declaredBy[0] },
      next: 'Remove the label from the program, deploy, then run again. Nothing was changed.',
    },
  );
}
