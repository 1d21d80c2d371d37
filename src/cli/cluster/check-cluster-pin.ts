import { type ClusterClient, readClusterUid } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { ClusterPin } from '../config/cluster-pin.js';

/**
 * Compares the uid of a cluster with the pins of the environments, before anything else is read or written. An environment with a pin
 * connects only to its cluster, and a cluster to which environments are pinned is only for these.
 *
 * @returns the uid, if it can be read.
 * @throws FieldwiseError `cluster-pin-differs`; `cluster-pin-unverified` if the chosen environment is pinned and the uid cannot be read.
 */
export async function checkClusterPin(cluster: ClusterClient, pin: ClusterPin): Promise<string | undefined> {
  const found = await readClusterUid(cluster);
  if (found.uid === undefined) {
    if (pin.uid === undefined) return undefined;
    const { reason, cause } = found;
    throw new FieldwiseError(
      'cluster-pin-unverified',
      'usage',
      `The environment ${pin.environment} is pinned to the cluster with the uid ${pin.uid}, and the uid of this cluster cannot be read: ${reason}`,
      {
        location: locationOf(cluster, pin),
        next: 'Nothing else was read, and nothing was changed. The user needs the permission to get the Namespace kube-system; `fieldwise rbac` grants it.',
        cause,
      },
    );
  }
  comparePin(cluster, pin, found.uid);
  return found.uid;
}

/**
 * Compares the uid of a cluster, or of the one that a snapshot is of, with the pins of the environments.
 *
 * @throws FieldwiseError `cluster-pin-differs`.
 */
export function comparePin(cluster: Pick<ClusterClient, 'server'>, pin: ClusterPin, uid: string): void {
  if (pin.uid === undefined ? pin.environments.has(uid) : pin.uid !== uid) throw differs(cluster, pin, uid);
}

function differs(cluster: Pick<ClusterClient, 'server'>, pin: ClusterPin, uid: string): FieldwiseError {
  const others = pin.environments.get(uid) ?? [];
  const whose = others.length === 0 ? '' : `, to which ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} pinned`;
  const chosen = pin.environment === undefined ? 'no environment' : `the environment ${pin.environment}`;
  const what =
    pin.uid === undefined
      ? `This is the cluster with the uid ${uid}${whose}, and ${chosen} is chosen`
      : `The environment ${pin.environment} is pinned to the cluster with the uid ${pin.uid}, but this cluster has the uid ${uid}${whose}`;
  const next =
    pin.uid === undefined
      ? `To use this cluster, choose ${others.map((name) => `\`-e ${name}\``).join(' or ')}. If ${chosen} may use it too, add \`clusterUid: ${uid}\` to its environment.`
      : `Select the cluster of ${pin.environment} with \`kubeContext\` or \`--kube-context\`. If the environment has moved to this cluster, configure \`clusterUid: ${uid}\`.`;
  return new FieldwiseError('cluster-pin-differs', 'usage', what, {
    location: locationOf(cluster, pin),
    next: `Nothing else was read, and nothing was changed. ${next}`,
  });
}

function locationOf({ server }: Pick<ClusterClient, 'server'>, { source }: ClusterPin) {
  return { server, ...(source === undefined ? {} : { file: source }) };
}
