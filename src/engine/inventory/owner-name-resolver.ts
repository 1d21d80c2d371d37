import type { Manifest } from '../../assembly/types.js';
import { formatPath, membersOf, pathCovers } from '../../fields/index.js';
import { isApplyEntryOf, managedFieldsOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { FieldOwner } from '../report/plan-types.js';
import type { StackIdentity } from './inventory-store.js';

/** Resolves field managers to the stacks behind them. */
export class OwnerNameResolver {
  readonly #app: string;
  readonly #instance: string;
  readonly #known: Map<string, string>;
  /** True after a truncated manager was resolved, which does not show its stack. */
  sawTruncated = false;

  /** @param known names of the stacks of this app and instance by field manager. */
  constructor(app: string, instance: string, known: ReadonlyMap<string, string>) {
    this.#app = app;
    this.#instance = instance;
    this.#known = new Map(known);
  }

  /** Creates a resolver for the stacks of a program. */
  static of({ app, instance, stacks }: Manifest): OwnerNameResolver {
    return new OwnerNameResolver(app, instance, new Map(stacks.map(({ name, manager }) => [manager, name])));
  }

  /** Adds the stacks of inventories. */
  addStacks(stacks: readonly StackIdentity[]): void {
    for (const { app, instance, stack, manager } of stacks) this.#known.set(manager, this.#nameOf(app, instance, stack));
  }

  /** Returns an owner with the stack behind it, where there is one. */
  resolve({ manager, operation, subresource }: FieldOwner): FieldOwner {
    const stack = operation === 'Apply' ? this.#stackOf(manager) : undefined;
    return { manager, operation, ...(subresource ? { subresource } : {}), ...(stack === undefined ? {} : { stack }) };
  }

  #stackOf(manager: string): string | undefined {
    const known = this.#known.get(manager);
    if (known !== undefined) return known;
    const [product, ...parts] = manager.split('/');
    if (product !== 'fieldwise') return undefined;
    if (manager.includes('~')) this.sawTruncated = true;
    if (parts.length !== 3 || manager.includes('~')) return undefined;
    const [app, instance, stack] = parts.map(decoded) as [string, string, string];
    return this.#nameOf(app, instance, stack);
  }

  #nameOf(app: string, instance: string, stack: string): string {
    return app === this.#app && instance === this.#instance ? stack : `${app}/${instance}/${stack}`;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The owners of an object's fields, except the own intent of one manager, or of the managers that a stack has and had. */
export class OtherOwners {
  readonly #byField = new Map<string, FieldOwner[]>();
  readonly #leaves = new Map<string, FieldOwner[]>();
  readonly all: readonly FieldOwner[];

  constructor(object: JsonObject | undefined, ours: string | readonly string[], names: OwnerNameResolver) {
    const owners: FieldOwner[] = [];
    const managers = typeof ours === 'string' ? [ours] : ours;
    for (const entry of managedFieldsOf(object)) {
      if (managers.some((manager) => isApplyEntryOf(entry, manager))) continue;
      const owner = names.resolve(entry);
      owners.push(owner);
      for (const { path, leaf } of membersOf(entry.fields)) {
        const field = formatPath(path);
        push(this.#byField, field, owner);
        if (leaf) push(this.#leaves, field, owner);
      }
    }
    this.all = owners;
  }

  of(field: string): readonly FieldOwner[] {
    const owners = this.#byField.get(field) ?? [];
    return owners.length > 1 ? owners.toSorted((left, right) => (left.manager < right.manager ? -1 : 1)) : owners; // managedFields are ordered by time
  }

  /** Returns the owners of a field, else of a value that contains it, or of its parts: owners may see one value at different grains. */
  around(field: string): readonly FieldOwner[] {
    const same = this.of(field);
    if (same.length > 0) return same;
    const found = [...this.#leaves].flatMap(([leaf, owners]) => (pathCovers(leaf, field) || pathCovers(field, leaf) ? owners : []));
    return [...new Map(found.map((owner) => [`${owner.manager} ${owner.operation} ${owner.subresource}`, owner])).values()];
  }

  /** Returns their innermost fields. */
  leaves(): Iterable<readonly [field: string, owners: readonly FieldOwner[]]> {
    return this.#leaves;
  }
}

function push(map: Map<string, FieldOwner[]>, field: string, owner: FieldOwner): void {
  const known = map.get(field);
  if (known === undefined) map.set(field, [owner]);
  else known.push(owner);
}
