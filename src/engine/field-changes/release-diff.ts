import {
  type FieldPath,
  formatPath,
  isItemStep,
  type Member,
  pathCovers,
  resolvePath,
  stepsOf,
  valueAt,
  valueOrItemsAt,
} from '../../fields/index.js';
import type { StatusCause } from '../../kubernetes/index.js';
import { anotherWriter, collateralFields, containerOwners, isAppliedIntentField } from '../../ownership/index.js';
import { isContainer, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { OtherOwners, type OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import type { PlannedCollateralField, PlannedField } from '../report/plan-types.js';

/** An object before and after a write, and a manager's members in both. */
export interface ReleaseDiff {
  readonly live: JsonObject;
  readonly after: JsonObject;
  /** The manager's own members in `live` and in `after`, by path text. */
  readonly before: ReadonlyMap<string, Member>;
  readonly declared: ReadonlyMap<string, Member>;
  /** The intent that is declared now; absent where everything is released. */
  readonly intent?: JsonObject | undefined;
  /** Paths taken by force, which are reported elsewhere. */
  readonly forcedPaths: readonly string[];
  /** Other owners in `after`. */
  readonly others: OtherOwners;
  /** The manager, or all managers that its stack has and had. */
  readonly manager: string | readonly string[];
  readonly names: OwnerNameResolver;
}

/**
 * Returns the outcome of fields that a manager owned and no longer declares, and of fields removed with them. The removal of a list item or
 * an entry of a map of structs also removes the fields that others own in it; it is reported as one field.
 */
export function releasedFields(release: ReleaseDiff): PlannedField[] {
  const { live, after } = release;
  const dropped = droppedMembers(release);
  const lost = plannedCollateral(release);
  const collateral: string[] = [];
  const whole = dropped
    .filter(([, { path }]) => isContainer(valueAt(live, path)) && valueAt(after, path) === undefined)
    .sort(([left], [right]) => left.length - right.length)
    .flatMap(([field, { path, leaf }]): PlannedField[] => {
      if (collateral.some((item) => pathCovers(item, field))) return [];
      const part = lost.find((other) => other.field === field);
      const inside = lost.filter((other) => other !== part && pathCovers(field, other.field));
      if (leaf && inside.length === 0 && part === undefined) return [];
      collateral.push(field);
      const oldValue = valueOrItemsAt(live, path) as Json;
      const owners = part === undefined ? {} : { owners: part.owners };
      return [{ field, change: 'item-removed', oldValue, ...owners, ...(inside.length > 0 ? { collateral: inside } : {}) }];
    });
  const single = dropped
    .filter(([field, { leaf, path }]) => leaf && exists(path, release) && !collateral.some((item) => pathCovers(item, field)))
    .map(([field, { path }]) => releasedField(field, path, release))
    .map((planned): PlannedField => {
      const part = planned.change === 'removed' ? lost.find(({ field }) => field === planned.field) : undefined;
      return part === undefined ? planned : { ...planned, owners: part.owners };
    });
  const others = lost
    .filter(({ field }) => !single.some((planned) => planned.field === field))
    .filter((other) => !collateral.some((item) => pathCovers(item, other.field)))
    .map(
      ({ field, oldValue, owners }): PlannedField => ({
        field,
        change: 'removed',
        ...(oldValue === undefined ? {} : { oldValue }),
        owners,
      }),
    );
  return [...whole, ...single, ...others];
}

/**
 * Returns the members that are no longer declared. The same value may be one member before and several after, or the reverse: the strategy
 * changes between `dynamic` and server-side, or a list type changes. So the declared intent counts, and for a value the parts missing in
 * it.
 */
function droppedMembers({ live, after, before, declared, intent }: ReleaseDiff): readonly (readonly [string, Member])[] {
  const members = [...declared.values()];
  return [...before]
    .filter(([field]) => !declared.has(field))
    .flatMap(([field, member]): readonly (readonly [string, Member])[] => {
      const wanted = valueAt(intent, member.path);
      if (wanted === undefined) return [[field, member]];
      if (!member.leaf) return [];
      return undeclaredParts(valueAt(live, member.path), wanted, member.path, members)
        .filter((path) => !jsonEqual(valueAt(live, path), valueAt(after, path)))
        .map((path) => [formatPath(path), { path, leaf: true }]);
    });
}

/** Returns the parts of a value that an intent does not have. */
function undeclaredParts(value: Json | undefined, wanted: Json, at: FieldPath, declared: readonly Member[]): readonly FieldPath[] {
  if (isJsonObject(value) && isJsonObject(wanted)) {
    return Object.keys(value).flatMap((name) => {
      const path = [...at, { kind: 'field', name } as const];
      const inside = wanted[name];
      return inside === undefined ? [path] : undeclaredParts(value[name], inside, path, declared);
    });
  }
  if (!Array.isArray(value) || !Array.isArray(wanted)) return [];
  const list = formatPath(at);
  const element = declared.find(({ path }) => path[at.length]?.kind === 'key' && pathCovers(list, formatPath(path)))?.path[at.length];
  if (element?.kind !== 'key') return [];
  return (value as readonly Json[]).filter(isJsonObject).flatMap((item): readonly FieldPath[] => {
    const keys = element.keys.map(([name]) => [name, item[name] ?? null] as const);
    const path = [...at, { kind: 'key', keys } as const];
    return declared.some((member) => pathCovers(formatPath(path), formatPath(member.path))) ? [] : [path];
  });
}

/** Returns true if a field exists before or after: an entry may contain fields that nobody has set. */
function exists(path: FieldPath, { live, after }: ReleaseDiff): boolean {
  return valueAt(live, path) !== undefined || valueAt(after, path) !== undefined;
}

function releasedField(field: string, path: FieldPath, { live, after, others }: ReleaseDiff): PlannedField {
  const oldValue = valueOrItemsAt(live, path);
  const newValue = valueAt(after, path);
  const old = oldValue === undefined ? {} : { oldValue };
  if (newValue === undefined) return { field, change: 'removed', ...old };
  const owners = others.around(field);
  return owners.length > 0 ? { field, change: 'kept', ...old, newValue, owners } : { field, change: 'defaulted', ...old, newValue };
}

/** Returns fields that others own in the live object and that are missing afterwards. */
function plannedCollateral(release: ReleaseDiff): PlannedCollateralField[] {
  const { live, after, forcedPaths, manager, names } = release;
  const leaves = [...new OtherOwners(live, manager, names).leaves()].flatMap(([field, owners]) => {
    if (forcedPaths.some((root) => pathCovers(root, field) || pathCovers(field, root))) return [];
    const path = resolvePath(field, live);
    if (path === undefined) return [];
    const oldValue = valueOrItemsAt(live, path);
    if (oldValue === undefined || valueAt(after, path) !== undefined || isAppliedIntentField(path, oldValue)) return [];
    return [{ field, oldValue, owners }];
  });
  return [...leaves, ...containerCollateral(release), ...unattributedCollateral(release)];
}

/** Returns the contents of dropped items for which no owner is recorded and that were not applied: somebody else wrote them. */
function unattributedCollateral({ live, after, intent = {}, forcedPaths, manager, names }: ReleaseDiff): PlannedCollateralField[] {
  return collateralFields(live, intent, typeof manager === 'string' ? [manager] : manager).flatMap(({ field, owner, oldValue }) => {
    const path = resolvePath(field, live);
    if (owner.manager !== anotherWriter || oldValue === undefined || forcedPaths.some((root) => pathCovers(root, field))) return [];
    return path !== undefined && valueAt(after, path) === undefined ? [{ field, oldValue, owners: [names.resolve(owner)] }] : [];
  });
}

/** Returns the fields that the managers dropped and that others own as a part of one value. */
function containerCollateral({ live, after, before, forcedPaths, manager, names }: ReleaseDiff): PlannedCollateralField[] {
  const ownersOf = containerOwners(live, typeof manager === 'string' ? [manager] : manager);
  const parts = [...before].flatMap(([field, { path }]) => {
    const oldValue = valueOrItemsAt(live, path);
    if (oldValue === undefined || valueAt(after, path) !== undefined || forcedPaths.some((root) => pathCovers(root, field))) return [];
    const owners = ownersOf(path).map((owner) => names.resolve(owner));
    return owners.length > 0 ? [{ field, oldValue, owners }] : [];
  });
  return parts.filter(({ field }) => !parts.some((other) => other.field !== field && pathCovers(other.field, field)));
}

/**
 * Returns the fields that the server does not let the manager release: those that it owned and no longer declares, and that a refusal calls
 * required. The refusal counts list items, so items are compared without their keys.
 */
export function rejectedFields(live: JsonObject, dropped: readonly Member[], causes: readonly StatusCause[]): PlannedField[] {
  const required = causes.filter((cause) => cause.reason === 'FieldValueRequired');
  return dropped.flatMap(({ path, leaf }): PlannedField[] => {
    if (!leaf) return [];
    const field = formatPath(path);
    const plain = withoutItems(field);
    const cause = required.find((candidate) => {
      const wanted = withoutItems(`.${candidate.field}`);
      return pathCovers(wanted, plain) || pathCovers(plain, wanted);
    });
    if (cause === undefined) return [];
    const oldValue = valueOrItemsAt(live, path);
    return [{ field, change: 'rejected', ...(oldValue === undefined ? {} : { oldValue }), reason: cause.message }];
  });
}

function withoutItems(field: string): string {
  return stepsOf(field)
    .filter((step) => !isItemStep(step))
    .join('');
}
