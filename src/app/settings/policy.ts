import {
  absencePolicies,
  type ConflictPolicy,
  type ConflictPolicyByManager,
  type DeletePropagation,
  deletePropagations,
  type IfAbsent,
  type IfPresent,
  type Lifecycle,
  type ListKeys,
  presencePolicies,
  type ReleasePolicy,
  releasePolicies,
  type Strategy,
  strategies,
  type WaitFor,
} from '../../assembly/policy-vocabulary.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { parseConflicts } from './conflict-policy.js';
import { parseListKeys } from './list-keys-policy.js';
import { parseTransferFrom, type TransferFrom } from './transfer-from.js';
import { checkWait, checkWaitFor, type WaitPolicy } from './wait-policy.js';

/**
 * Decides how declared fields meet the cluster. A policy can be set for an app (in the configuration file or the `App`), a stack, an
 * intent and a field; the nearest one wins, member by member.
 */
export interface Policy {
  /**
   * Action on a conflict. `force`: apply without force first, to record every conflict, and then with force; `fail`: report
   * the conflicts and change nothing; `yield`: leave contested fields to their owner. It may differ by field manager:
   * `{ force: ['kubectl*'], fail: ['fieldwise/*'], otherwise: 'yield' }`.
   *
   * @default 'force'
   */
  readonly conflicts?: ConflictPolicy | ConflictPolicyByManager | undefined;
  /**
   * Who merges intents. `server-side`: the API server, by the list types of its schema; `dynamic`: Fieldwise, by a client-side three-way
   * merge, for kinds whose schema declares atomic lists. On API servers before 1.22, it is always `dynamic`.
   *
   * @default 'server-side'
   */
  readonly strategy?: Strategy | undefined;
  /**
   * With `dynamic`: the keys of lists, by field path without list keys: `{ 'spec.ports': ['port', 'protocol'], 'spec.args': 'atomic' }`.
   * They override the schema and the convention.
   */
  readonly listKeys?: Readonly<Record<string, ListKeys>> | undefined;
  /**
   * `share` only: action if the object does not exist. `wait` for it, `fail`, or `create` it.
   *
   * @default 'wait'
   */
  readonly ifAbsent?: IfAbsent | undefined;
  /**
   * `share` only: seconds to wait until the object exists; 0 does not wait.
   *
   * @default 300
   */
  readonly waitSeconds?: number | undefined;
  /**
   * `own` only: action if the object exists and this stack did not create it. `own` it nevertheless; `ask` before anything is changed (without a
   * terminal, this needs `--yes`); or `fail` before anything is changed.
   *
   * @default 'own'
   */
  readonly ifPresent?: IfPresent | undefined;
  /**
   * Action if a value changes because its last owner releases the field: the server then removes the field or sets its default. `report`
   * the change with the object; `ask` before anything is changed (without a terminal, this needs `--yes`); or `fail` before anything is
   * changed. With `fail`, a destroy asks.
   *
   * @default 'report'
   */
  readonly releases?: ReleasePolicy | undefined;
  /**
   * `own` only: delete the object on destroy even if it existed before this stack, as if the stack had created it.
   *
   * @default false
   */
  readonly deleteExisting?: boolean | undefined;
  /**
   * `own` only: the deletion propagation policy, which decides about dependents of a deleted object.
   *
   * @default 'Background'
   */
  readonly deletePropagation?: DeletePropagation | undefined;
  /**
   * Wait until the object is ready, for 300 seconds or the given number of seconds, and fail if it does not become ready. A deploy waits
   * for a share only if it changed the object beyond metadata and status, or if `waitFor` is set. The wait ends early if the cause of a
   * failure is certain (docs/deploy.md#causes), unless `failFast` is false; a pod without a node counts after `unschedulableSeconds`, 120
   * by default.
   *
   * @default true
   */
  readonly wait?: boolean | WaitPolicy | undefined;
  /** The condition or field value that makes this object ready, instead of the rules for its kind. */
  readonly waitFor?: WaitFor | undefined;
  /**
   * `own` only: if a declared field is immutable, delete the object and create it again. This requires that the stack created the object,
   * and that no other manager owns fields beyond its metadata and status.
   *
   * @default false
   */
  readonly replace?: boolean | undefined;
  /**
   * `own` only: keep the object unchanged when it is no longer declared and on destroy, and remove it from the inventory.
   *
   * @default false
   */
  readonly retain?: boolean | undefined;
  /**
   * `own` only, and only of a single intent: a destroy with a program that declares it so deletes the object even if others apply fields to it, as
   * `--delete shared` does for all objects. Where the program does not declare the object any more, it is released as without it.
   *
   * @default false
   */
  readonly deleteShared?: boolean | undefined;
  /**
   * Transfers fields that another stack, or a field manager that applies, owns with equal values: this stack applies them, and once the
   * managedFields show that it owns them, the ownership of the previous owner ends. If a value differs, the deploy of the object fails.
   */
  readonly transferFrom?: TransferFrom | undefined;
  /**
   * Policies of single fields by path, such as `{ 'spec.replicas': { conflicts: 'yield' } }`; a path covers everything below it. List
   * items are named by their list map keys: `spec.template.spec.containers[name=api].image`.
   */
  readonly fields?: Readonly<Record<string, FieldPolicy>> | undefined;
}

/** The policy of a single field. */
export interface FieldPolicy {
  readonly conflicts?: ConflictPolicy | ConflictPolicyByManager | undefined;
  readonly releases?: ReleasePolicy | undefined;
}

/** The members that apply to only one of the two lifecycles. */
const onlyFor = {
  ifAbsent: 'share',
  waitSeconds: 'share',
  ifPresent: 'own',
  deleteExisting: 'own',
  deletePropagation: 'own',
  replace: 'own',
  retain: 'own',
  deleteShared: 'own',
} as const;

const checks: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  strategy: oneOf(strategies),
  ifAbsent: oneOf(absencePolicies),
  waitSeconds: (value) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? undefined : 'must be a number of seconds, 0 or more',
  ifPresent: oneOf(presencePolicies),
  releases: oneOf(releasePolicies),
  deleteExisting: isBoolean,
  deletePropagation: oneOf(deletePropagations),
  wait: checkWait,
  waitFor: checkWaitFor,
  replace: isBoolean,
  retain: isBoolean,
  deleteShared: isBoolean,
};

/** Former names: those of members, and values of members. */
const formerNames: Readonly<Record<string, string>> = { adopt: 'deleteExisting' };
const formerValues: Readonly<Record<string, Readonly<Record<string, string>>>> = { ifPresent: { adopt: 'own' } };

/** Returns a policy of a file with the present names: files are read as they were written. Other values are returned unchanged. */
export function withPresentNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const present = Object.hasOwn(value, formerNames[name] ?? name) ? name : (formerNames[name] ?? name);
    return [present, typeof member === 'string' ? (formerValues[name]?.[member] ?? member) : member];
  });
  return Object.fromEntries(entries);
}

/**
 * Validates a policy and returns it frozen, with a leading dot in field paths and without absent members.
 *
 * @param lifecycle the lifecycle of the intent with the policy; members that do not apply to it are rejected.
 * @throws FieldwiseError `policy-invalid`.
 */
export function parsePolicy(value: unknown, location: ErrorLocation, lifecycle?: Lifecycle): Policy {
  const fail = (what: string): never => {
    throw new FieldwiseError('policy-invalid', 'usage', `Invalid policy: ${what}`, {
      location,
      next: `The members of a policy are ${['conflicts', ...Object.keys(checks), 'listKeys', 'transferFrom', 'fields'].join(', ')}.`,
    });
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('it must be an object');
  const policy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (name === 'fields') {
      policy.fields = parseFields(member, fail);
      continue;
    }
    if (name === 'conflicts') {
      const parsed = parseConflicts(member);
      if ('issue' in parsed) return fail(`\`conflicts\` ${parsed.issue}`);
      policy.conflicts = parsed.policy;
      continue;
    }
    if (name === 'transferFrom') {
      const parsed = parseTransferFrom(member);
      if ('issue' in parsed) return fail(`\`transferFrom\` ${parsed.issue}`);
      policy.transferFrom = parsed.transferFrom;
      continue;
    }
    if (name === 'listKeys') {
      const parsed = parseListKeys(member);
      if ('issue' in parsed) return fail(`\`listKeys\` ${parsed.issue}`);
      policy.listKeys = parsed.listKeys;
      continue;
    }
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) return fail(`\`${name}\` ${Object.hasOwn(formerNames, name) ? `is named \`${formerNames[name]}\`` : 'is unknown'}`);
    const presentValue = typeof member === 'string' ? formerValues[name]?.[member] : undefined;
    if (presentValue !== undefined) return fail(`\`${name}: '${member}'\` is named \`${name}: '${presentValue}'\``);
    const issue = check(member);
    if (issue) return fail(`\`${name}\` ${issue}`);
    const only = Object.hasOwn(onlyFor, name) ? onlyFor[name as keyof typeof onlyFor] : undefined;
    if (lifecycle && only && only !== lifecycle) return fail(`\`${name}\` applies only to \`${only}\`, not to \`${lifecycle}\``);
    if (!lifecycle && name === 'deleteShared')
      return fail('`deleteShared` belongs to a single intent, not to a stack, app or configuration');
    policy[name] = typeof member === 'object' ? Object.freeze({ ...member }) : member;
  }
  if (policy.strategy === 'server-side' && policy.listKeys !== undefined)
    return fail('`listKeys` have no effect with the strategy `server-side`, where the schema decides; set `strategy` to `dynamic`');
  return Object.freeze(policy) as Policy;
}

function parseFields(value: unknown, fail: (what: string) => never): Readonly<Record<string, FieldPolicy>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('`fields` must be an object of field paths');
  const fields: Record<string, FieldPolicy> = {};
  for (const [text, member] of Object.entries(value as Record<string, unknown>)) {
    if (member === undefined) continue;
    const path = text.startsWith('.') ? text : `.${text}`;
    if (!/^(\.[^.[\]]|\.\[)/.test(path))
      return fail(`\`fields\` names ${JSON.stringify(text)}, which is not a field path such as spec.replicas`);
    if (typeof member !== 'object' || member === null)
      return fail(`\`fields["${text}"]\` must be an object such as { conflicts: 'yield' }`);
    if (Object.hasOwn(fields, path)) return fail(`\`fields\` names ${path} twice`);
    fields[path] = parseField(member, (what) => fail(`\`fields["${text}"]${what}`));
  }
  return Object.freeze(fields);
}

function parseField(member: object, fail: (what: string) => never): FieldPolicy {
  const { conflicts, releases, ...others } = member as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return fail(`.${unknown}\` is unknown; the policy of a field has only \`conflicts\` and \`releases\``);
  const issue = releases === undefined ? undefined : oneOf(releasePolicies)(releases);
  if (issue) return fail(`.releases\` ${issue}`);
  const releasePolicy = releases === undefined ? {} : { releases: releases as ReleasePolicy };
  if (conflicts === undefined && releases !== undefined) return Object.freeze(releasePolicy);
  const parsed = parseConflicts(conflicts);
  if ('issue' in parsed) return fail(`.conflicts\` ${parsed.issue}`);
  return Object.freeze({ conflicts: parsed.policy, ...releasePolicy });
}

function isBoolean(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be true or false';
}

function oneOf(values: readonly string[]): (value: unknown) => string | undefined {
  return (value) => (values.includes(value as string) ? undefined : `must be one of ${values.join(', ')}`);
}
