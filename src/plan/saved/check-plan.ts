import { identityKey } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { planOutdatedError } from '../../engine/apply/preconditions/expectation.js';
import { prepareResolvedRun } from '../../engine/prepare/prepare-run.js';
import type { PlannedField, PlannedObject } from '../../engine/report/plan-types.js';
import type { RunOptions } from '../../engine/run/options.js';
import type { BoundPlan, SavedPlan } from '../../engine/run/saved-plan.js';
import { maskedPlan } from '../../engine/secrets/masked-plan.js';
import { isHiddenField, type SecretMasker } from '../../engine/secrets/secret-masker.js';
import { serializeValue } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Json } from '../../util/json.js';
import { planObjects } from '../plan.js';
import { assemblyDigest, shownValue } from './saved-plan.js';

/** @throws FieldwiseError `plan-of-another` (usage) if the plan was made for another assembly or for other stacks. */
export function checkOrigin(saved: SavedPlan, assembly: Assembly, options: RunOptions): void {
  const mismatch = (origin: string) =>
    new FieldwiseError('plan-of-another', 'usage', `The plan was made for ${origin}`, {
      next: 'Make a new plan with `fieldwise diff --output-file plan=FILE`.',
    });
  if (saved.assembly !== assemblyDigest(assembly.manifest)) throw mismatch('another assembly: the program or its input has changed since');
  const { stacks = [] } = options;
  const planned = new Set(saved.settings.stacks);
  if (stacks.length > 0 && (stacks.length !== planned.size || stacks.some((stack) => !planned.has(stack)))) {
    throw mismatch(`other stacks: ${saved.settings.stacks.join(', ')}`);
  }
}

/** Returns the options with the settings of a plan, which override those of the command. */
export function boundOptions(options: RunOptions, { settings }: SavedPlan): RunOptions {
  return { ...options, ...settings };
}

/**
 * Plans again and compares the actions, values and owners of every field that the plan touches. A plan does not contain status, other
 * fields or resourceVersions.
 *
 * @throws FieldwiseError `plan-outdated` naming what differs.
 */
export async function checkPlan(bound: BoundPlan, assembly: Assembly, cluster: ClusterClient, options: RunOptions, secrets: SecretMasker) {
  const { saved, simulate } = bound;
  const now = await planObjects(prepareResolvedRun(assembly, cluster, options), { ...options, simulate });
  const then = new Map(saved.objects.map((object) => [plannedKey(object), object]));
  const differences = now.flatMap((object) => {
    const key = plannedKey(object);
    const planned = then.get(key);
    then.delete(key);
    const found = maskedPlan(object, secrets);
    return planned === undefined ? [`${plannedObjectText(found)} is not in the plan (${found.action})`] : differencesOf(planned, found);
  });
  differences.push(
    ...[...then.values()].map((object) => `${plannedObjectText(object)}: planned ${object.action}, now there is nothing to do`),
  );
  const lacking = now.filter(
    (object) =>
      object.error?.code === 'forbidden' && saved.objects.some((one) => plannedKey(one) === plannedKey(object) && one.action !== 'blocked'),
  );
  if (lacking.length > 0) throw rightsMissingError(lacking);
  if (differences.length > 0) throw planOutdatedError(`The cluster is not as it was when the plan was made: ${listed(differences)}`);
}

/** Returns the error for a plan of objects that the credentials of the deploy may not read or apply: the cluster has not changed. */
function rightsMissingError(objects: readonly PlannedObject[]): FieldwiseError {
  const texts = objects.map((object) => `${plannedObjectText(object)}: ${object.error?.message}`);
  return new FieldwiseError('forbidden', 'resource', `These credentials lack permissions for objects of the plan: ${listed(texts)}`, {
    next: 'Print the permissions again with `fieldwise rbac`, apply them, and deploy the same plan.',
  });
}

const maxListed = 20;

function listed(differences: readonly string[]): string {
  const more = differences.length > maxListed ? `; and ${differences.length - maxListed} more` : '';
  return `${differences.slice(0, maxListed).join('; ')}${more}`;
}

function differencesOf(planned: PlannedObject, now: PlannedObject): string[] {
  const found = withoutUncompared(planned, now);
  const objectLabel = plannedObjectText(found);
  if (planned.notRead && takesNothing(found)) return [];
  if (planned.action !== found.action) {
    const fields = fieldDifferences(objectLabel, planned.fields, found.fields);
    return [
      `${objectLabel}: planned ${planned.action}, now ${found.action}${found.error ? ` (${found.error.code})` : ''}${planned.notRead ? ', and the plan could not read it' : ''}`,
      ...fields,
    ];
  }
  if (planned.uid !== found.uid) return [`${objectLabel}: another object has this name now`];
  const owners = (object: PlannedObject) => ownersText(object.adopts?.owners) ?? 'none';
  const adopts =
    owners(planned) === owners(found)
      ? []
      : [`${objectLabel}: planned as an existing object of ${owners(planned)}, now of ${owners(found)}`];
  const fields = fieldDifferences(objectLabel, planned.fields, found.fields);
  return [...adopts, ...fields, ...(fields.length > 0 ? [] : hiddenDifference(objectLabel, planned, found))];
}

/** The changes of a field that take nothing from anybody. */
const harmlessChanges: ReadonlySet<string> = new Set(['set', 'change', 'same', 'co-own']);

/** Leaves out what a plan could not compare, because it did not know the values, where the deploy takes nothing from others there. */
function withoutUncompared(planned: PlannedObject, found: PlannedObject): PlannedObject {
  const { notCompared = [] } = planned;
  if (notCompared.length === 0) return found;
  const before = new Map(planned.fields.map((field) => [field.field, field]));
  const uncompared = found.fields.filter(({ field, change }) => notCompared.includes(field) && harmlessChanges.has(change));
  const left = found.fields.filter((field) => !uncompared.includes(field));
  const fields = [...left, ...uncompared.flatMap(({ field }) => before.get(field) ?? [])];
  const changesNothingElse = left.every(({ field, change }) => change === 'same' && before.get(field)?.change === 'same');
  const isUpdated = planned.action === 'unchanged' && found.action === 'update' && changesNothingElse;
  return { ...found, fields, ...(isUpdated ? { action: planned.action } : {}) };
}

/** Returns true for what a plan may leave open of an object that it could not read: a creation, or a share that takes nothing from anybody. */
function takesNothing({ action, lifecycle, fields }: PlannedObject): boolean {
  if (action === 'create' || action === 'wait') return true;
  const isApplied = action === 'update' || action === 'unchanged';
  return lifecycle === 'share' && isApplied && fields.every(({ change }) => harmlessChanges.has(change));
}

const keepingChanges: ReadonlySet<string> = new Set(['set', 'same', 'co-own']);

/** A plan contains no live values of a Secret to compare with. If it replaces or releases one, the Secret must be as it was. */
function hiddenDifference(objectLabel: string, planned: PlannedObject, found: PlannedObject): string[] {
  if (planned.resourceVersion === found.resourceVersion) return [];
  const hidden = planned.fields.filter(
    ({ field, change }) => isHiddenField(field, plannedIdentity(planned)) && !keepingChanges.has(change),
  );
  if (hidden.length === 0) return [];
  const fields = hidden.map(({ field }) => field).join(', ');
  return [`${objectLabel}: written since, so the values of ${fields} may have changed (a plan does not contain them)`];
}

function plannedIdentity({ apiVersion, kind }: PlannedObject) {
  return { apiVersion, kind };
}

function fieldDifferences(objectLabel: string, planned: readonly PlannedField[], found: readonly PlannedField[]): string[] {
  const before = new Map(planned.filter(isBinding).map((field) => [field.field, field]));
  const differing = found.filter(isBinding).flatMap((field) => {
    const then = before.get(field.field);
    before.delete(field.field);
    if (then && comparable(then) === comparable(field)) return [];
    return [`${objectLabel} ${field.field}: planned ${then ? fieldText(then) : 'no change of it'}, now ${fieldText(field)}`];
  });
  return [
    ...differing,
    ...[...before.values()].map((field) => `${objectLabel} ${field.field}: planned ${fieldText(field)}, now no change of it`),
  ];
}

/** Returns false for a field that the server fills in, perhaps with another value each time, such as a port that it chooses. */
function isBinding({ change, owners = [] }: PlannedField): boolean {
  return change !== 'server' || owners.length > 0;
}

/** Returns the parts of a field that a deploy depends on, as text; explanations are left out. */
function comparable({ change, oldValue, newValue, owners, collateral, gained }: PlannedField): string {
  const inside = collateral?.map((item) => [item.field, item.oldValue ?? null, ownersText(item.owners) ?? '']);
  return serializeValue([change, [oldValue ?? null], [newValue ?? null], ownersText(owners) ?? '', inside ?? [], gained ?? false] as Json);
}

/** Formats a planned change: `to force it from "blue" to "red", owned by helm Apply`. */
function fieldText({ change, oldValue, newValue, owners }: PlannedField): string {
  const by = ownersText(owners);
  const owned = by ? `, owned by ${by}` : '';
  const [before, after] = [shownValue(oldValue), shownValue(newValue)];
  switch (change) {
    case 'set':
      return `to set it to ${after}${owned}`;
    case 'change':
      return `to change it from ${before} to ${after}${owned}`;
    case 'reorder':
      return `to have its items in another order`;
    case 'server':
      return `that the server sets it to ${after}, from ${before}`;
    case 'same':
      return `to own it with its value ${after}${owned}`;
    case 'co-own':
      return `to own it together with ${by}, with the value ${after}`;
    case 'force':
      return `to take it from ${by}, from ${before} to ${after}`;
    case 'yield':
      return `to leave it to ${by}, with the value ${before}`;
    case 'conflict':
      return `a conflict about it with ${by}, which has ${before} and not ${after}`;
    case 'removed':
    case 'item-removed':
      return `to remove it, with the value ${before}${owned}`;
    case 'defaulted':
      return `to let the server set it to ${after}, from ${before}${owned}`;
    case 'kept':
      return `to release it, with the value ${before}${owned}`;
    case 'rejected':
      return `that the server rejects it, from ${before} to ${after}${owned}`;
  }
}

function ownersText(owners: PlannedField['owners']): string | undefined {
  return owners
    ?.map(({ manager, operation, subresource }) => `${manager} (${[operation, subresource].filter((part) => part).join(', ')})`)
    .sort()
    .join(', ');
}

function plannedObjectText({ object, stack }: PlannedObject): string {
  return `${object} (stack ${stack})`;
}

function plannedKey(object: Pick<PlannedObject, 'stack' | 'apiVersion' | 'kind' | 'namespace' | 'name'>): string {
  return `${object.stack} ${identityKey(object)}`;
}
