import type { FieldConflict, FieldOwner, PlannedField, ReleasedField, RewrittenField } from '../../deploy/index.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { rewrittenFieldOf } from '../../engine/report/rewritten-field.js';
import { knownManager } from '../../ownership/managed-fields/known-manager.js';
import type { Json } from '../../util/json.js';
import { valueText } from './values.js';

/** Formats the collateral removals of a field, one line each. */
export function collateralLines({ collateral = [] }: Pick<PlannedField, 'collateral'>): string[] {
  return collateral.map(({ field, oldValue, owners }) => `  and with it ${field}: ${valueText(oldValue)}, owned by ${ownersText(owners)}`);
}

/** Formats the change of a field, as the rest of the line after its path. */
export function fieldText(
  field: Omit<PlannedField, 'change'> & { readonly change: PlannedField['change'] | ReleasedField['change'] },
): string {
  const [rewritten] = rewrittenFieldOf(field);
  if (rewritten === undefined) return changeText(field);
  const isQuiet = field.change === 'same' && !field.gained;
  return isQuiet || field.newValue === undefined ? rewrittenText(rewritten) : `${changeText(field)}; ${keptText(rewritten)}`;
}

/** Formats what the server keeps in place of a declared value, as the rest of the line after its path. */
export function rewrittenText(field: Pick<RewrittenField, 'declared' | 'value'>): string {
  return `: ${keptText(field)}`;
}

/** Formats what the server keeps in place of a declared value. */
export function keptText({ declared, value }: Pick<RewrittenField, 'declared' | 'value'>): string {
  return `declared ${valueText(declared)}, the server keeps ${value === undefined ? 'no value' : valueText(value)}`;
}

function changeText({ change, oldValue, newValue, owners, reason, gained, mayDefault }: Parameters<typeof fieldText>[0]): string {
  const by = ownersText(owners);
  const why = reason ? ` (${reason})` : '';
  const perhaps = mayDefault ? ' (the server may default it)' : '';
  switch (change) {
    case 'set':
      return `: ${valueText(newValue)}`;
    case 'same':
      return `: ${valueText(newValue)}${gained ? ', now owned by this stack' : ''}`;
    case 'change':
      return `: ${valueText(oldValue)} → ${valueText(newValue)}`;
    case 'reorder':
      return `: ${orderText(oldValue)} → ${orderText(newValue)}`;
    case 'server':
      return `: ${serverText(oldValue, newValue)}${by === '' ? '' : `, owned by ${by}`}`;
    case 'co-own':
      return `: ${valueText(newValue)}, also owned by ${by}`;
    case 'force':
    case 'conflict':
      return `: ${valueText(oldValue)} → ${valueText(newValue)}, from ${by}${why}`;
    case 'yield':
      return `: stays ${valueText(oldValue)}, owned by ${by}`;
    case 'removed':
      return `: was ${valueText(oldValue)}${by === '' ? '' : `, owned by ${by}`}${perhaps}${why}`;
    case 'perhaps':
      return `: was ${valueText(oldValue)}`;
    case 'defaulted':
      return `: ${valueText(oldValue)}, defaulted to ${valueText(newValue)}`;
    case 'kept':
      return `: stays ${valueText(newValue)}, owned by ${by}`;
    case 'rejected':
      return `: ${valueText(oldValue)} ${newValue === undefined ? 'cannot be removed' : `cannot become ${valueText(newValue)}`}${why}`;
    case 'item-removed':
      return `: the whole item is removed, was ${valueText(oldValue)}${by === '' ? '' : `, owned by ${by}`}`;
  }
}

/** Formats the order of items by their names. */
export function orderText(items: PlannedField['oldValue']): string {
  return Array.isArray(items)
    ? (items as readonly Json[]).map((item) => (typeof item === 'string' ? item : valueText(item))).join(', ')
    : valueText(items);
}

/** Formats what the server makes of a field that is not declared. */
export function serverText(oldValue: PlannedField['oldValue'], newValue: PlannedField['newValue']): string {
  if (oldValue === undefined) return `sets ${valueText(newValue)}`;
  return newValue === undefined ? `removes ${valueText(oldValue)}` : `${valueText(oldValue)} → ${valueText(newValue)}`;
}

/**
 * Formats owners as `stack gateway, kubectl (Update, scale)`; well-known managers with the client behind the name, such as
 * `argocd-controller (Argo CD)`.
 */
export function ownersText(owners: readonly FieldOwner[] = []): string {
  return owners
    .map(({ stack, ...owner }) => {
      if (stack !== undefined) return `stack ${stack}`;
      const { manager, operation, subresource } = owner;
      const facts = [knownManager(owner)?.label, operation === 'Update' ? 'Update' : '', subresource].filter(Boolean);
      return facts.length > 0 ? `${managerText(manager)} (${facts.join(', ')})` : managerText(manager);
    })
    .join(', ');
}

/** Returns the name of an owner alone: `stack gateway`, or the manager. */
export function ownerName({ manager, stack }: Pick<FieldOwner, 'manager' | 'stack'>): string {
  return stack === undefined ? managerText(manager) : `stack ${stack}`;
}

/**
 * Returns an owner that a report names by its manager, with the stack behind it, as a plan has it.
 *
 * @param ours the field manager of the stack of the report: others of its app and instance have their names alone.
 */
export function reportedOwner(
  { from, operation, subresource }: Pick<FieldConflict, 'from' | 'operation' | 'subresource'>,
  ours: string,
): FieldOwner {
  const owner = new OwnerNameResolver('', '', new Map()).resolve({ manager: from, operation, ...(subresource ? { subresource } : {}) });
  const home = ours.slice(0, ours.lastIndexOf('/') + 1);
  const { stack } = owner;
  const isNear = stack !== undefined && home !== '' && !ours.includes('~') && from.startsWith(home);
  return isNear ? { ...owner, stack: stack.slice(stack.length - nameLength(from.slice(home.length))) } : owner;
}

/** Returns the length of the name of a stack, as a manager encodes it. */
function nameLength(encoded: string): number {
  try {
    return decodeURIComponent(encoded).length;
  } catch {
    return encoded.length;
  }
}

/** Quotes names with which a client could pass for a stack, for another client, or for several owners. */
export function managerText(manager: string): string {
  return /^[\w.:/@+-]+$/.test(manager) ? manager : JSON.stringify(manager);
}
