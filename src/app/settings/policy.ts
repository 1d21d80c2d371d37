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
import { parseConflicts } from './conflict-policy.js';
import { listKeysIn, parseListKeys } from './list-keys-policy.js';
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

/** A setting of an object, stack or app. */
interface Setting {
  /** Returns the value as a policy holds it, or an issue as the rest of a sentence. */
  readonly parse: (value: unknown) => { readonly value: unknown } | { readonly issue: string };
  /** Returns the value that a text of the options annotation names, for `parse`; absent for a setting that only a map can hold. */
  readonly read?: (text: string) => unknown;
  /** The only lifecycle that it applies to. */
  readonly only?: Lifecycle;
}

/** All settings but those of single fields. Programs, the configuration and the options annotation read them by this table. */
export const settingTable: Readonly<Record<keyof Omit<Policy, 'fields'>, Setting>> = {
  conflicts: { parse: parseConflicts, read: asText },
  strategy: choice(strategies),
  ifAbsent: choice(absencePolicies, 'share'),
  waitSeconds: {
    ...checked((value) =>
      typeof value === 'number' && Number.isFinite(value) && value >= 0 ? undefined : 'must be a number of seconds, 0 or more',
    ),
    read: (text) => numberIn(text) ?? text,
    only: 'share',
  },
  ifPresent: choice(presencePolicies, 'own'),
  releases: choice(releasePolicies),
  deleteExisting: flag('own'),
  deletePropagation: choice(deletePropagations, 'own'),
  wait: {
    ...checked(checkWait),
    read: (text) => {
      const seconds = numberIn(text);
      return seconds === undefined ? asFlag(text) : { seconds };
    },
  },
  waitFor: checked(checkWaitFor),
  replace: flag('own'),
  retain: flag('own'),
  deleteShared: flag('own'),
  listKeys: { parse: parseListKeys, read: listKeysIn },
  transferFrom: { parse: parseTransferFrom },
};

/** Returns the setting with a name, if there is one. */
export function settingNamed(name: string): Setting | undefined {
  return Object.hasOwn(settingTable, name) ? settingTable[name as keyof typeof settingTable] : undefined;
}

function checked(issueOf: (value: unknown) => string | undefined): Setting {
  return {
    parse: (value) => {
      const issue = issueOf(value);
      return issue === undefined ? { value: typeof value === 'object' ? Object.freeze({ ...value }) : value } : { issue };
    },
  };
}

function choice(values: readonly string[], only?: Lifecycle): Setting {
  const issueOf = (value: unknown) => (values.includes(value as string) ? undefined : `must be one of ${values.join(', ')}`);
  return { ...checked(issueOf), read: asText, ...(only && { only }) };
}

function flag(only: Lifecycle): Setting {
  return { ...checked((value) => (typeof value === 'boolean' ? undefined : 'must be true or false')), read: asFlag, only };
}

function asText(text: string): string {
  return text;
}

/** Returns other texts unchanged: `parse` refuses them. */
function asFlag(text: string): unknown {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

function numberIn(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
