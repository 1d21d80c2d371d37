import { metadataOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, isNotFound, type ObjectAddress } from '../../kubernetes/index.js';
import { addressOf, addressText } from '../../kubernetes/object-address.js';
import type { FieldConflict } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import { applyInTwoPasses } from './apply-in-two-passes.js';
import type { ApplyPassResult } from './apply-once.js';
import { applyPinned } from './apply-pinned.js';
import type { LastApplies } from './last-applies.js';
import type { ApplyInput } from './resolve-intent.js';
import { ownIntent } from './resolve-intent.js';

/** Options of `Controller.applyStatus`. */
export interface ApplyStatusOptions {
  /**
   * The uid of the object that the status describes: the status is not written to a later object of the same name. The object is read
   * first, and the apply is accepted only for the resourceVersion that was read.
   *
   * @default metadata.uid of the intent
   */
  readonly uid?: string;
}

/** The result of an apply of a status: as for `AppliedObject`, or `absent` if the object does not exist, which is not an error. */
export type AppliedStatus =
  | {
      readonly outcome: Extract<Outcome, 'updated' | 'unchanged' | 'applied'>;
      /** The object after the apply. */
      readonly object: JsonObject;
      /** Fields taken from other owners by force. */
      readonly forcedConflicts: readonly FieldConflict[];
    }
  | { readonly outcome: 'absent' };

/** The manager that applies a status, and the object to which. */
export interface StatusWriter {
  readonly manager: string;
  /** The uid of the object; undefined for any object of the name. */
  readonly uid: string | undefined;
}

const subresource = 'status';

/** Applies to the status subresource; never creates the object. */
export async function applyStatus(
  cluster: ClusterClient,
  { manager, uid }: StatusWriter,
  intent: ApplyInput,
  last: LastApplies,
): Promise<AppliedStatus> {
  const object = ownIntent(intent);
  const named = metadataOf(object).uid;
  const pin = uid ?? (typeof named === 'string' ? named : undefined);
  const address = await addressOf(cluster, object);
  if (pin !== undefined) return applyStatusOf(cluster, address, { manager, uid: pin }, () => object, last);
  const pass = () => applyInTwoPasses(cluster, address, { object, manager, subresource });
  return statusResult(cluster, address, manager, pass, last);
}

/** Applies a status that is derived from the current object, to that object only. */
export function applyStatusOf(
  cluster: ClusterClient,
  address: ObjectAddress,
  { manager, uid }: StatusWriter & { readonly uid: string },
  intentFor: (live: JsonObject) => JsonObject,
  last: LastApplies,
): Promise<AppliedStatus> {
  const pass = () => applyPinned(cluster, address, { manager, subresource, uid, intentFor });
  return statusResult(cluster, address, manager, pass, last);
}

/** Returns the result of an apply. After a 404, a read shows which of its two causes it has: no such object, or no status subresource. */
async function statusResult(
  cluster: ClusterClient,
  address: ObjectAddress,
  manager: string,
  pass: () => Promise<ApplyPassResult | 'absent'>,
  last: LastApplies,
): Promise<AppliedStatus> {
  const attempt = () => pass().catch((error) => unlessNotFound(error, cluster, address));
  let passed = await attempt();
  if (passed === 'not found') {
    if (!(await cluster.tryGet(address))) return { outcome: 'absent' };
    passed = await attempt(); // The object may have been created in between.
    if (passed === 'not found') throw notServed(addressText(address));
  }
  if (passed === 'absent') return { outcome: 'absent' };
  const inferredOutcome = last.recordAndCompare(`${addressText(address)} ${subresource}`, passed.object, manager, subresource);
  return {
    outcome: passed.provenOutcome === 'updated' || passed.provenOutcome === 'unchanged' ? passed.provenOutcome : inferredOutcome,
    object: passed.object,
    forcedConflicts: passed.forcedConflicts,
  };
}

async function unlessNotFound(error: unknown, cluster: ClusterClient, address: ObjectAddress): Promise<'not found'> {
  if (isNotFound(error)) return 'not found';
  // For some kinds, such as Service, the server validates the status as a complete object before it finds that the object does not exist.
  if (error instanceof ApiError && error.code === 422 && !(await cluster.tryGet(address))) return 'not found';
  throw error;
}

function notServed(object: string): FieldwiseError {
  return new FieldwiseError('status-not-served', 'resource', 'The kind has no status subresource', {
    location: { object },
    next: 'Add `subresources: { status: {} }` to the version in its CustomResourceDefinition.',
  });
}
