import { ApiError, type Cluster, isNotFound, type ObjectAddress } from '../cluster/index.js';
import type { FieldConflict } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import type { Intent } from './controller.js';
import type { LastApplies } from './last-applies.js';
import { targetOf, textOf } from './target.js';
import { applyInTwoPasses } from './two-passes.js';

export interface StatusOptions {
  /** Of the object that the status speaks of: the status is not written to a later one of the same name. */
  readonly uid?: string;
}

/** How an apply of a status ended: as `AppliedObject` says, or `absent` where the object is gone, which is no error and writes nothing. */
export type AppliedStatus =
  | { readonly outcome: 'patched' | 'noop' | 'applied'; readonly object: JsonObject; readonly taken: readonly FieldConflict[] }
  | { readonly outcome: 'absent' };

const subresource = 'status';

/**
 * Applies to the status subresource. It never creates the object. 404 has two meanings, which the object itself tells apart: it is gone,
 * or its kind has no such subresource.
 */
export async function applyStatus(
  cluster: Cluster,
  manager: string,
  intent: Intent,
  last: LastApplies,
  { uid }: StatusOptions,
): Promise<AppliedStatus> {
  const target = await targetOf(cluster, intent);
  const { address } = target;
  const object = uid === undefined ? target.object : { ...target.object, metadata: { ...(target.object.metadata as JsonObject), uid } };
  const attempt = () =>
    applyInTwoPasses(cluster, address, { object, manager, subresource }).catch((error) => unlessGone(error, cluster, address));
  let passed = await attempt();
  if (passed === 'not found') {
    if (!(await cluster.find(address))) return { outcome: 'absent' };
    passed = await attempt(); // it may have come in between
    if (passed === 'not found') throw notServed(textOf(address));
  }
  if (passed === 'replaced') return { outcome: 'absent' };
  const judged = last.judge(`${textOf(address)} ${subresource}`, passed.object, manager, subresource);
  return {
    outcome: passed.proved === 'patched' || passed.proved === 'noop' ? passed.proved : judged,
    object: passed.object,
    taken: passed.taken,
  };
}

async function unlessGone(error: unknown, cluster: Cluster, address: ObjectAddress): Promise<'not found' | 'replaced'> {
  if (isNotFound(error)) return 'not found';
  if (error instanceof ApiError && error.uidMismatch !== undefined) return 'replaced';
  // Of some kinds, Services among them, the server validates the object that a status alone would make before it finds that there is none.
  if (error instanceof ApiError && error.code === 422 && !(await cluster.find(address))) return 'not found';
  throw error;
}

function notServed(object: string): FieldwiseError {
  return new FieldwiseError('status-not-served', 'resource', 'The kind has no status subresource', {
    place: { object },
    next: 'Add `subresources: { status: {} }` to the version in its CustomResourceDefinition.',
  });
}
