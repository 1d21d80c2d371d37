import { type FieldSet, union } from '../fields/index.js';
import type { JsonObject } from '../util/json.js';
import { withoutEmptySets } from './apply.js';
import { Converted, filtered } from './converted.js';
import type { Managers } from './managers.js';
import { type MergeRequest, reconciledManagers } from './merge-request.js';
import { resolveOwnership } from './resolve-ownership.js';
import type { ExplicitEmptyLists } from './values/explicit-empty.js';

export interface UpdateInput extends Omit<MergeRequest, 'requester'> {
  /** The object before and after the write, both in the version of the request, without managedFields. */
  readonly live: JsonObject;
  readonly object: JsonObject;
  /** Lists of `object` that count as modified although they are equal as JSON. */
  readonly explicitEmptyLists?: ExplicitEmptyLists | undefined;
  readonly managers: Managers;
}

export interface UpdateResult {
  /** The owners after the write without the fields that it took, with the writer's earlier entry. */
  readonly managers: Managers;
  /** The fields that the writer acquires: those that it added or changed. */
  readonly acquired: FieldSet;
}

/**
 * Computes ownership after a write by any verb other than apply: the writer owns exactly what it changed, and others lose that. An
 * unchanged value takes no ownership. Source: Kubernetes documentation "Server-Side Apply", "Field management".
 *
 * @throws ConversionError if an owner's version cannot be converted.
 */
export function updateManagers(input: UpdateInput): UpdateResult {
  const before = new Converted(input.kind, input.live);
  const request = { ...input, requester: '' };
  const resolved = resolveOwnership(request, {
    before,
    after: input.object,
    explicitEmptyLists: input.explicitEmptyLists,
    managers: reconciledManagers(input.kind, before, input.managers),
    force: true,
  });
  if ('conflicts' in resolved) throw new Error('A forced write has no conflicts.');
  const { comparison, managers } = resolved;
  const acquired = filtered(union(comparison.modified, comparison.added), input.ignored?.(input.apiVersion));
  return { managers: withoutEmptySets(managers), acquired: acquired };
}
