import { formatPath, membersOf } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, contendedError, contentionRounds, type ObjectAddress } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { carryOutClaim } from '../apply/apply-with-union-claims.js';
import type { Step } from '../graph/waves.js';
import type { FieldTransfer } from './field-transfers.js';

/**
 * Makes the manager of a step a co-owner of fields that other stacks give up in the same run, with their live values: no value changes, nothing is
 * released, and nobody is contradicted. Afterwards the steps may be applied in any order, and no field is ever without an owner. Nothing is claimed beside an
 * intent that the server refuses, so that its object can be made again: that would be refused for the sake of what was claimed.
 *
 * @returns the paths, such as `.spec.replicas`, of fields that it did not own before.
 * @throws FieldwiseError `apply-contended`; ApiError.
 */
export async function claimFields(
  cluster: ClusterClient,
  address: ObjectAddress,
  { object, stack: { manager } }: Step,
  wanted: readonly FieldTransfer[],
): Promise<readonly string[]> {
  const transfers: FieldTransfer[] = [];
  for (const transfer of wanted) if (!(await isRefused(cluster, address, transfer.mayReplace))) transfers.push(transfer);
  for (let round = 0; round < contentionRounds; round++) {
    const live = await cluster.tryGet(address);
    if (live === undefined) return [];
    const paths = transfers.flatMap(({ previousOwner, select }) => {
      const theirs = applyEntryOf(live, previousOwner);
      return theirs === undefined ? [] : membersOf(select(theirs.fields)).map(({ path }) => path);
    });
    if (paths.length === 0) return [];
    try {
      const claimed = await carryOutClaim(cluster, { address, object, manager }, live, { paths, transfers: [] });
      return metadataOf(claimed).resourceVersion === metadataOf(live).resourceVersion ? [] : paths.map(formatPath);
    } catch (error) {
      if (!(error instanceof ApiError) || !(error.stale || error.conflicts.length > 0)) throw error;
    }
  }
  throw contendedError('apply-contended', { manager }, 'No value of this object was changed. Run again.');
}

async function isRefused(cluster: ClusterClient, address: ObjectAddress, step: Step | undefined): Promise<boolean> {
  if (step === undefined) return false;
  try {
    await cluster.apply(address, step.object, { manager: step.stack.manager, force: true, dryRun: true });
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.code === 422) return true;
    throw error;
  }
}
