import { groupOf } from '../../assembly/identity.js';
import type { PartialObject } from '../../assembly/types.js';
import { rawConditionsOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { withDeadline } from '../../kubernetes/with-deadline.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { poll } from '../../util/machine.js';
import { resourceIfServed } from './address.js';

/** Returns true if an object is a CustomResourceDefinition. */
export function isCrd(object: { readonly apiVersion: string; readonly kind: string }): boolean {
  return object.kind === 'CustomResourceDefinition' && groupOf(object.apiVersion) === 'apiextensions.k8s.io';
}

/**
 * Waits until the server serves the kind that a CustomResourceDefinition defines. Source: Kubernetes documentation, "Extend the Kubernetes
 * API with CustomResourceDefinitions" (conditions Established and NamesAccepted).
 */
export async function waitForEstablished(
  cluster: ClusterClient,
  address: ObjectAddress,
  crd: PartialObject,
  options: { readonly seconds: number; readonly signal: AbortSignal | undefined; readonly onWait?: () => void },
): Promise<void> {
  let last = 'no condition yet';
  const { machine } = cluster;
  const end = machine.wall() + options.seconds * 1_000;
  let polls = 0;
  const served = await poll(machine, options.seconds, options.signal, async () => {
    if (++polls === 2) options.onWait?.();
    const conditions = rawConditionsOf(await withDeadline(cluster, end).get(address));
    const refused = conditions.find((condition) => condition.type === 'NamesAccepted' && condition.status === 'False');
    if (refused) throw notEstablished(`its names are not accepted: ${String(refused.message)}`);
    const established = conditions.find((condition) => condition.type === 'Established');
    if (established?.status !== 'True') {
      last = String(established?.message ?? last);
      return undefined;
    }
    return (await allVersionsServed(withDeadline(cluster, end), crd)) || undefined;
  });
  if (!served) throw notEstablished(`not served after ${options.seconds} s (${last})`);
}

/** Returns true if an object in a response has the conditions of an established CustomResourceDefinition. */
export function isEstablished(object: JsonObject): boolean {
  const states = new Map(rawConditionsOf(object).map(({ type, status }) => [type, status]));
  return states.get('Established') === 'True' && states.get('NamesAccepted') !== 'False';
}

async function allVersionsServed(cluster: ClusterClient, crd: PartialObject): Promise<boolean> {
  const spec = isJsonObject(crd.spec) ? crd.spec : {};
  const kind = isJsonObject(spec.names) ? spec.names.kind : undefined;
  const versions = Array.isArray(spec.versions) ? (spec.versions as readonly Json[]).filter(isJsonObject) : [];
  for (const version of versions) {
    if (version.served === false) continue;
    const apiVersion = `${String(spec.group)}/${String(version.name)}`;
    if ((await resourceIfServed(cluster, apiVersion, String(kind))) === undefined) return false;
  }
  return true;
}

function notEstablished(reason: string): FieldwiseError {
  return new FieldwiseError('crd-not-established', 'resource', `The CustomResourceDefinition is not established: ${reason}`, {
    next: 'Check its conditions; another CustomResourceDefinition may have taken the names.',
  });
}
