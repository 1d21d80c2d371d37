import { groupOf, identityKey } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import type { PlannedObject } from '../../engine/report/plan-types.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';

/** Groups whose objects grant rights, or decide on the requests and kinds of others. */
const grantingGroups: ReadonlySet<string> = new Set([
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
]);

const applying: ReadonlySet<PlannedObject['action']> = new Set(['create', 'update', 'recreate']);

function isGrant({ action, apiVersion }: PlannedObject): boolean {
  return applying.has(action) && grantingGroups.has(groupOf(apiVersion));
}

/** The ground on which the changes of a rollback stand. */
export interface RollbackGround {
  readonly program: Assembly;
  /** Somebody trusts the list of the revision, of which the inventory of the stack knows nothing. */
  readonly isUnknown: boolean;
  /** `Kind/name` each; `*` stands for any name. */
  readonly allowed: readonly string[];
}

/**
 * Returns the changes that a yes to the whole rollback does not answer: each of a revision of which the inventory knows nothing, and of any other
 * revision the objects that grant rights and that the program does not declare now.
 */
export function doubtfulChanges(
  changes: readonly PlannedObject[],
  { program, isUnknown, allowed }: RollbackGround,
): readonly PlannedObject[] {
  const declared = new Set(program.manifest.stacks.flatMap(({ intents }) => intents.map(identityKey)));
  return changes
    .filter((change) => isUnknown || (isGrant(change) && !declared.has(identityKey(change))))
    .filter((change) => !allowed.some((word) => isNamedBy(word, change)));
}

/** Returns a warning for each word of `--allow` that names no change of a rollback. */
export function unmatchedAllowWarnings(
  changes: readonly Pick<PlannedObject, 'kind' | 'name'>[],
  allowed: readonly string[],
): readonly RunDiagnostic[] {
  const unmatched = allowed.filter((word) => !changes.some((change) => isNamedBy(word, change)));
  return unmatched.map((word) => ({
    event: 'warning',
    code: 'flag-unmatched',
    message: `\`--allow ${word}\` names no object that the rollback would change`,
    next: 'Write KIND/NAME as the plan does, without a namespace, or leave it out.',
  }));
}

function isNamedBy(word: string, { kind, name }: Pick<PlannedObject, 'kind' | 'name'>): boolean {
  return word === `${kind}/${name}` || word === `${kind}/*`;
}
