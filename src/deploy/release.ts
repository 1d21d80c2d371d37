import { ApiError, type Cluster, type ObjectAddress } from '../cluster/index.js';
import { applyEntryOf } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';

/**
 * Gives up every field that a manager applied to an object: an empty intent with the uid in its body, so that an object that is gone
 * is not created anew. Source: Kubernetes documentation "Server-Side Apply", "Clearing managedFields" and "Transferring ownership".
 *
 * @returns `released`, or `gone` when the object is not there any more or another one has its name.
 * @throws FieldwiseError `release-rejected` where the object would be invalid without these fields.
 */
export async function releaseObject(cluster: Cluster, address: ObjectAddress, uid: string, manager: string): Promise<'released' | 'gone'> {
  const { resource, namespace, name } = address;
  const empty = {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid },
  };
  try {
    const answer = await cluster.apply(address, empty, { manager, force: false, metadataOnly: true });
    if (applyEntryOf(answer.object, manager)) {
      throw new FieldwiseError(
        'release-incomplete',
        'resource',
        'The server accepted the empty intent, yet this manager still owns fields',
        {
          place: { manager },
          next: 'Look at metadata.managedFields of the object.',
        },
      );
    }
    return 'released';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 404 || error.uidMismatch !== undefined) return 'gone';
    if (error.code !== 422) throw error;
    const required = error.causes.map((cause) => `.${cause.field}: ${cause.message}`).join('; ') || error.message;
    throw new FieldwiseError('release-rejected', 'resource', `The object would be invalid without the fields of this stack: ${required}`, {
      place: { manager },
      next: 'Let another stack or manager declare these fields first, or delete the object.',
      cause: error,
    });
  }
}
