import type { PageNode } from '../page-data.js';
import { below, forEachField, isInnermost, isItem, mayBeEntry, ownersOf, type Tables } from './page-tree.js';

/** The outcome for one innermost field if an owner released all its fields. */
export type Outcome =
  /** No other owner has it. */
  | 'removed'
  /** It is removed with the list item, map entry or struct around it, although others or nobody own it. */
  | 'removed-with'
  /** Others own it, too. */
  | 'kept'
  /** It is in a map entry or in a struct, which managedFields does not tell; in an entry, it is removed. */
  | 'perhaps-removed';

/**
 * Returns the outcome for each innermost field that would be removed or change its owners if an owner applied an empty intent.
 *
 * The rule of the server: a node is removed, with everything in it, if the owner has it and no other owner does. A field of a struct is had
 * by everybody who owns something in it, a list item or an entry of a map only by its recorded owners. The server may then set a default
 * for a removed field, or reject the release because a field is required. Source: structured-merge-diff, `prune`.
 */
export function whatIf(tables: Tables, fields: readonly PageNode[], owner: number): ReadonlyMap<PageNode, Outcome> {
  const outcomes = new Map<PageNode, Outcome>();
  const release = (node: PageNode): void => {
    const { owns, othersOwn } = claimsOf(node, tables, owner);
    if (owns && !othersOwn) remove(node);
    else if (mayBeEntry(node) && isOnlyOwner(node)) forEachField([node], tables, (field) => outcomes.set(field, 'perhaps-removed'));
    else if (!isInnermost(node)) for (const child of below(node)) release(child);
    else if (owns) outcomes.set(node, 'kept');
  };
  const isOnlyOwner = (node: PageNode): boolean => ownersOf(node, tables).every((one) => one === owner);
  const remove = (node: PageNode): void => {
    const owners = ownersOf(node, tables);
    if (isInnermost(node)) outcomes.set(node, owners.length === 1 && owners[0] === owner ? 'removed' : 'removed-with');
    else for (const child of below(node)) remove(child);
  };
  for (const node of fields) release(node);
  return outcomes;
}

interface Claims {
  readonly owns: boolean;
  readonly othersOwn: boolean;
}

function claimsOf(node: PageNode, tables: Tables, owner: number): Claims {
  return isItem(node, tables) ? ownClaims(node, tables, owner) : claimsInside(node, tables, owner);
}

function ownClaims(node: PageNode, tables: Tables, owner: number): Claims {
  const owners = ownersOf(node, tables);
  return { owns: owners.includes(owner), othersOwn: owners.some((other) => other !== owner) };
}

/** A struct is had by the owners of anything in it, items of its lists included. */
function claimsInside(node: PageNode, tables: Tables, owner: number): Claims {
  let { owns, othersOwn } = ownClaims(node, tables, owner);
  for (const child of below(node)) {
    if (owns && othersOwn) break;
    const inside = claimsInside(child, tables, owner);
    owns ||= inside.owns;
    othersOwn ||= inside.othersOwn;
  }
  return { owns, othersOwn };
}
