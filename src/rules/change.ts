import type { Declaration } from '../assembly/types.js';
import type { ClusterIdentity } from '../engine/inventory/cluster-identity.js';
import type { NotJudged, PlannedAction, PlannedField, PlannedObject } from '../engine/report/plan-types.js';
import { releasingChanges } from '../engine/report/releasing-changes.js';
import { maskSecret } from '../engine/secrets/secret-masker.js';
import { type JsonObject, jsonEqual } from '../util/json.js';
import { fieldPattern, matchesField } from './field-pattern.js';
import { frozenCopy } from './frozen-copy.js';
import { isNamed, ownerPattern } from './owner-pattern.js';

/** An object before and after a deploy; each is absent if it does not exist or is not known. */
export interface ObjectStates {
  readonly before?: JsonObject | undefined;
  readonly after?: JsonObject | undefined;
  readonly cluster?: ClusterIdentity | undefined;
}

const takes: ReadonlySet<string> = new Set(['force']);
const removals: ReadonlySet<string> = new Set(['removed', 'item-removed']);
const declarations: ReadonlySet<string> = new Set(['set', 'change', 'same', 'co-own', 'force', 'yield', 'conflict']);
const valueChanges: ReadonlySet<string> = new Set(['set', 'change', 'reorder', 'server', 'force', 'removed', 'defaulted', 'item-removed']);

/**
 * The change that a deploy of one stack would make to one object: the argument of a rule. Paths are those of plans, such as `.spec.replicas`. A path that
 * a function takes also means all fields below it, and `[*]` in it is any item of a list; the first dot may be omitted. A path with an error of syntax is an
 * error. Values of Secrets are `***`. Nothing of it can be changed: all rules see the same, and what a plan shows. A rule that tries fails (`rule-failed`).
 */
export class Change {
  /** The effect of the deploy on the object, such as `create`, `update` or `delete`. */
  readonly action: PlannedAction;
  /** The stack that is deployed. */
  readonly stack: string;
  /** The field manager of the stack. */
  readonly manager: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  /** All fields that the stack declares or releases, also those that do not change. */
  readonly fields: readonly PlannedField[];
  /**
   * Present if the server could not judge the object, because the deploy first creates or changes what its refusal of the dry run can depend on: these
   * objects, and the refusal.
   */
  readonly notJudged?: NotJudged;
  /** The lines of the program that declare the object. */
  readonly declaredBy: readonly Declaration[];
  /** The live object; absent if it does not exist. */
  readonly before?: JsonObject;
  /** The object after the deploy, with the fields of all owners; absent if it is deleted or not known. */
  readonly after?: JsonObject;

  /**
   * The uids by which a deploy of the plan recognizes its cluster: with `deploy --plan`, those that the plan has, too. Absent if the plan is bound
   * to no cluster.
   */
  readonly cluster?: ClusterIdentity;

  constructor(planned: PlannedObject, { before, after, cluster }: ObjectStates) {
    this.action = planned.action;
    this.stack = planned.stack;
    this.manager = planned.manager;
    this.apiVersion = planned.apiVersion;
    this.kind = planned.kind;
    if (planned.namespace !== undefined) this.namespace = planned.namespace;
    this.name = planned.name;
    this.object = planned.object;
    this.fields = frozenCopy(planned.fields);
    if (planned.notJudged !== undefined) this.notJudged = frozenCopy(planned.notJudged);
    this.declaredBy = frozenCopy(planned.declaredBy);
    if (before !== undefined) this.before = frozenCopy(maskSecret(before) as JsonObject);
    if (after !== undefined) this.after = frozenCopy(maskSecret(after) as JsonObject);
    if (cluster !== undefined) this.cluster = frozenCopy(cluster);
    Object.freeze(this);
  }

  /** True if the object is deleted, also if it is created again. */
  get deletes(): boolean {
    return this.action === 'delete' || this.action === 'recreate';
  }

  /** Returns the fields that the deploy takes by force from a manager or a stack, by its name or a pattern such as `kubectl*`; without an argument, from any. */
  takesFrom(manager?: string): readonly PlannedField[] {
    const taken = this.#fields(takes, '.');
    if (manager === undefined) return taken;
    const pattern = ownerPattern(manager);
    return taken.filter(({ owners = [] }) => owners.some((owner) => isNamed(pattern, owner)));
  }

  /** Returns the fields that the stack declares, with the value that it has or gets. */
  declares(path: string): readonly PlannedField[] {
    return this.#fields(declarations, path);
  }

  /** Returns the fields whose values change. */
  changes(path: string): readonly PlannedField[] {
    return this.#fields(valueChanges, path).filter(({ oldValue, newValue }) => !jsonEqual(oldValue, newValue));
  }

  /** Returns the fields that the stack no longer declares and gives up, whether they stay or go. */
  releases(path: string): readonly PlannedField[] {
    return this.#fields(releasingChanges, path);
  }

  /** Returns the fields that go because the stack no longer declares them. */
  removes(path: string): readonly PlannedField[] {
    return this.#fields(removals, path);
  }

  #fields(changes: ReadonlySet<string>, path: string): readonly PlannedField[] {
    const pattern = fieldPattern(
      path,
      this.fields.map(({ field }) => field),
    );
    return this.fields.filter(({ change, field }) => changes.has(change) && matchesField(pattern, field));
  }
}

// A rule that replaced a function would answer for all rules.
Object.freeze(Change.prototype);
