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
} from '../assembly/policy-vocabulary.js';
import { type ErrorLocation, FieldwiseError } from '../util/error.js';
import { parseConflicts } from './conflict-policy.js';
import { parseListKeys } from './list-keys-policy.js';
import { parseTransferFrom, type TransferFrom } from './transfer-from.js';
import { checkWait, checkWaitFor } from './wait-policy.js';

/**
 * How declared fields meet the cluster. May be given for a whole app (configuration file or `App`), a stack, an intent and a field;
 * the nearest wins, member by member.
 */
export interface Policy {
  /**
   * `force` (default): a first pass without force sees and records every conflict, then force takes the fields; `fail`: report and
   * stop; `yield`: leave contested fields to their owner. May differ by manager:
   * `{ force: ['kubectl*'], fail: ['fieldwise/*'], otherwise: 'yield' }`.
   */
  readonly conflicts?: ConflictPolicy | ConflictPolicyByManager | undefined;
  /**
   * `server-side` (default): the API server merges, by the list types of its schema; `dynamic`: Fieldwise merges, for kinds whose lists
   * the schema takes as one value. Servers older than 1.22 always get `dynamic`.
   */
  readonly strategy?: Strategy | undefined;
  /**
   * Under `dynamic`: how the items of lists are told apart, by field path without list keys:
   * `{ 'spec.ports': ['port', 'protocol'], 'spec.args': 'atomic' }`. It decides over the schema and over the convention.
   */
  readonly listKeys?: Readonly<Record<string, ListKeys>> | undefined;
  /** Shares: `wait` (default) for the object, `fail`, or `create` it. */
  readonly ifAbsent?: IfAbsent | undefined;
  /** Shares: seconds to wait for the object, 300 by default; 0 does not wait. */
  readonly waitSeconds?: number | undefined;
  /**
   * Owns: an object that is there already and that this stack did not create is adopted (`adopt`, the default), asked for before anything is
   * changed (`ask`; without a terminal that needs `--yes`), or ends the deploy before anything is changed (`fail`).
   */
  readonly ifPresent?: IfPresent | undefined;
  /**
   * What becomes of a value when its last owner drops the field: the server removes it or fills in a default. `report` (default) says so
   * with the object; `ask` asks before anything is changed (without a terminal that needs `--yes`); `fail` ends the deploy before anything is
   * changed. A destroy asks where the policy says `fail`.
   */
  readonly releases?: ReleasePolicy | undefined;
  /** Owns: an object that was there before is deleted on destroy, as if this stack had created it. Default false. */
  readonly adopt?: boolean | undefined;
  /** Owns: how dependents are treated on deletion, `Background` by default. */
  readonly deletePropagation?: DeletePropagation | undefined;
  /**
   * Whether a deploy waits until the object is ready, and fails where it does not become so: `true` (default) waits 300 seconds.
   * A share is waited for where it changed the object beyond metadata and status, or says by `waitFor` what it needs.
   */
  readonly wait?: boolean | { readonly seconds: number } | undefined;
  /** What ready means for this object, in place of the rules for its kind. */
  readonly waitFor?: WaitFor | undefined;
  /**
   * Owns: where the server does not let a declared field change, delete the object and create it anew, provided that this stack created
   * it and nobody else owns fields beyond its metadata and status. Default false.
   */
  readonly replace?: boolean | undefined;
  /** Owns: when no longer declared and on destroy the object stays as it is and is forgotten. Default false. */
  readonly retain?: boolean | undefined;
  /**
   * Fields that another stack or field manager owns with equal values become this stack's: it applies them, and where the server's
   * managedFields show that it owns them, the other's part in them ends. The deploy of the object fails where a value differs.
   */
  readonly transferFrom?: TransferFrom | undefined;
  /**
   * Policies of single fields by path, such as `{ 'spec.replicas': { conflicts: 'yield' } }`; a path covers everything below it. Items
   * of lists are named by their list map keys, as many as it takes: `spec.template.spec.containers[name=api].image`.
   */
  readonly fields?: Readonly<Record<string, FieldPolicy>> | undefined;
}

/** The policies that a single field may have of its own. */
export interface FieldPolicy {
  readonly conflicts?: ConflictPolicy | ConflictPolicyByManager | undefined;
  readonly releases?: ReleasePolicy | undefined;
}

/** Members that say nothing about one of the two lifecycles. */
const onlyFor = {
  ifAbsent: 'share',
  waitSeconds: 'share',
  ifPresent: 'own',
  adopt: 'own',
  deletePropagation: 'own',
  replace: 'own',
  retain: 'own',
} as const;

const checks: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  strategy: oneOf(strategies),
  ifAbsent: oneOf(absencePolicies),
  waitSeconds: (value) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? undefined : 'must be a number of seconds, 0 or more',
  ifPresent: oneOf(presencePolicies),
  releases: oneOf(releasePolicies),
  adopt: isBoolean,
  deletePropagation: oneOf(deletePropagations),
  wait: checkWait,
  waitFor: checkWaitFor,
  replace: isBoolean,
  retain: isBoolean,
};

/**
 * Checks a policy and returns it frozen, field paths written with a leading dot, absent members left out.
 *
 * @param lifecycle the lifecycle of the intent that carries the policy; members that mean nothing to it are refused.
 * @throws FieldwiseError `policy-invalid`.
 */
export function parsePolicy(value: unknown, location: ErrorLocation, lifecycle?: Lifecycle): Policy {
  const fail = (what: string): never => {
    throw new FieldwiseError('policy-invalid', 'usage', `Policy is wrong: ${what}`, {
      location: location,
      next: `Known members are ${['conflicts', ...Object.keys(checks), 'listKeys', 'transferFrom', 'fields'].join(', ')}.`,
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
    if (!check) return fail(`\`${name}\` is unknown`);
    const issue = check(member);
    if (issue) return fail(`\`${name}\` ${issue}`);
    const only = Object.hasOwn(onlyFor, name) ? onlyFor[name as keyof typeof onlyFor] : undefined;
    if (lifecycle && only && only !== lifecycle) return fail(`\`${name}\` says nothing about \`${lifecycle}\`, only about \`${only}\``);
    policy[name] = typeof member === 'object' ? Object.freeze({ ...member }) : member;
  }
  if (policy.strategy === 'server-side' && policy.listKeys !== undefined)
    return fail('`listKeys` say how to merge under the strategy `dynamic`, and `strategy` says server-side, where the schema decides');
  return Object.freeze(policy) as Policy;
}

function parseFields(value: unknown, fail: (what: string) => never): Readonly<Record<string, FieldPolicy>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('`fields` must be an object of field paths');
  const fields: Record<string, FieldPolicy> = {};
  for (const [text, member] of Object.entries(value as Record<string, unknown>)) {
    if (member === undefined) continue;
    const path = text.startsWith('.') ? text : `.${text}`;
    if (!/^(\.[^.[\]]|\.\[)/.test(path))
      return fail(`\`fields\` names ${JSON.stringify(text)}, which is no field path such as spec.replicas`);
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
  if (unknown !== undefined) return fail(`.${unknown}\` is unknown; a field has only \`conflicts\` and \`releases\``);
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
