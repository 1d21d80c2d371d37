import { metadataOf } from '../../fields/object.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { listOf, structOf } from '../api/json-access.js';
import { forbidden, StatusError } from '../api/status-error.js';
import { billionths } from '../built-in/convert/compare-quantities.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';

/** The resources that a node must have, in the unit that messages name them in, as billionths. */
const units = { cpu: 10n ** 6n, memory: 10n ** 9n } as const;
type Counted = keyof typeof units;

/**
 * Refuses to resize a Pod beyond what its node can do and has, as the admission plugins NodeDeclaredFeatureValidator and PodResize do.
 * Source: Kubernetes documentation "Resize CPU and Memory Resources assigned to Containers"; responses of a server.
 *
 * @throws StatusError 403
 */
export function admitResize({ store }: Backend, { resource, name }: ObjectTarget, pod: JsonObject, live: JsonObject): void {
  const spec = structOf(pod.spec);
  const before = structOf(live.spec);
  if (!spec.nodeName || !changesAny(spec, before)) return;
  const nodeName = String(spec.nodeName);
  const node = store.get({ resource: '/nodes', namespace: '', name: nodeName });
  if (node === undefined) throw forbidden(resource, name, `node ${JSON.stringify(nodeName)} not found`);
  const status = structOf(node.status);
  const undeclared = neededFeatures(spec, before).filter((feature) => !((status.declaredFeatures ?? []) as Json[]).includes(feature));
  if (undeclared.length > 0) {
    const which = `${undeclared.join(', ')} which are not available on node ${JSON.stringify(nodeName)}`;
    throw forbidden(resource, name, `pod update requires features ${which}`);
  }
  const refused = (cause: string, reason: string) => withCause(forbidden(resource, name, reason), cause);
  const system = metadataOf(node).labels?.['kubernetes.io/os'] || 'linux';
  if (system !== 'linux') {
    const which = `node ${JSON.stringify(nodeName)} is ${JSON.stringify(system)}`;
    throw refused('UnsupportedPlatform', `pod resize is only supported on linux nodes, ${which}`);
  }
  const lacking = lackingTexts(spec, structOf(status.allocatable));
  if (lacking.length > 0) throw refused('NodeCapacity', `node didn't have enough allocatable resources: ${lacking.join('; ')}`);
}

function withCause({ code, message, status }: StatusError, reason: string): StatusError {
  return new StatusError(code, 'Forbidden', message, { ...structOf(status.details), causes: [{ reason }] });
}

function changesAny(spec: JsonObject, before: JsonObject): boolean {
  return changes(spec, before) || ['containers', 'initContainers'].some((list) => changedIn(spec, before, list));
}

function changedIn(
  spec: JsonObject,
  before: JsonObject,
  list: string,
  isCounted: (container: JsonObject) => boolean = () => true,
): boolean {
  return listOf(spec[list]).some(
    (container, index) => isCounted(container) && changes(container, listOf(before[list])[index] as JsonObject),
  );
}

function changes({ resources: now }: JsonObject, { resources: before }: JsonObject): boolean {
  return !jsonEqual(structOf(now), structOf(before));
}

/** Returns the features that a kubelet needs for a resize of more than containers and sidecars. */
function neededFeatures(spec: JsonObject, before: JsonObject): readonly string[] {
  return [
    ...(changes(spec, before) ? ['InPlacePodLevelResourcesVerticalScaling'] : []),
    ...(changedIn(spec, before, 'initContainers', (each) => !isSidecar(each)) ? ['InPlacePodVerticalScalingInitContainers'] : []),
  ];
}

function isSidecar({ restartPolicy }: JsonObject): boolean {
  return restartPolicy === 'Always';
}

function lackingTexts(spec: JsonObject, allocatable: JsonObject): readonly string[] {
  return (Object.keys(units) as Counted[]).flatMap((name) => {
    const [requested, available] = [requestOf(spec, name), billionths(allocatable[name])].map((amount) => roundedUp(amount, units[name]));
    return (requested as bigint) > (available as bigint) ? [`${name}, requested: ${requested}, allocatable: ${available}`] : [];
  });
}

function roundedUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit;
}

/** Returns what a Pod needs at most at one time. Source: Kubernetes documentation "Sidecar Containers", "Resource sharing within containers". */
function requestOf(spec: JsonObject, name: Counted): bigint {
  const needOf = ({ resources }: JsonObject) => billionths(structOf(structOf(resources).requests)[name]);
  let sidecars = 0n;
  let most = 0n;
  for (const container of listOf(spec.initContainers)) {
    const need = needOf(container);
    if (isSidecar(container)) sidecars += need;
    else if (sidecars + need > most) most = sidecars + need;
  }
  const running = listOf(spec.containers)
    .map(needOf)
    .reduce((total, each) => total + each, sidecars);
  const own = structOf(structOf(spec.resources).requests)[name];
  const needed = own === undefined ? (running > most ? running : most) : billionths(own);
  return needed + billionths(structOf(spec.overhead)[name]);
}
