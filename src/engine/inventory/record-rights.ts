import { type ClusterClient, isAllowed } from '../../kubernetes/index.js';

interface RecordRight {
  readonly group: string;
  readonly resource: 'configmaps' | 'leases';
  readonly verb: string;
}

const verbs = ['get', 'create', 'patch', 'update', 'delete'] as const;

/** All rights that a run needs for the records of a stack. */
const recordRights: readonly RecordRight[] = [
  ...['list', ...verbs].map((verb): RecordRight => ({ group: '', resource: 'configmaps', verb })),
  ...verbs.map((verb): RecordRight => ({ group: 'coordination.k8s.io', resource: 'leases', verb })),
];

/** The verbs whose requests name no object, so that a right to them cannot be limited to names. */
const unnamed: ReadonlySet<string> = new Set(['list', 'create']);

/**
 * Returns the rights to the records of a stack that the credentials lack; none where the server does not answer access reviews.
 *
 * @param name of the inventory and of the Lease; without it, only rights that no name limits are looked at.
 * @param isWanted leaves out the other rights, each of which costs a request.
 */
export async function missingRecordRights(
  cluster: ClusterClient,
  namespace: string,
  name: string | undefined,
  isWanted: (right: RecordRight) => boolean = () => true,
): Promise<readonly RecordRight[]> {
  const rights = recordRights.filter((right) => (name !== undefined || unnamed.has(right.verb)) && isWanted(right));
  const ofOne = (verb: string) => (name === undefined || unnamed.has(verb) ? {} : { name });
  const allowed = await Promise.all(rights.map((right) => isAllowed(cluster, { ...right, namespace, ...ofOne(right.verb) })));
  return rights.filter((_, index) => allowed[index] === false);
}

/** Formats rights that are missing as a further sentence, such as `. Missing in namespace a: list, get configmaps; create leases`. */
export function missingRightsText(missing: readonly RecordRight[], namespace: string): string {
  const lists = (['configmaps', 'leases'] as const).flatMap((resource) => {
    const ofResource = missing.filter((right) => right.resource === resource).map(({ verb }) => verb);
    return ofResource.length === 0 ? [] : [`${ofResource.join(', ')} ${resource}`];
  });
  return lists.length === 0 ? '' : `. Missing in namespace ${namespace}: ${lists.join('; ')}`;
}
