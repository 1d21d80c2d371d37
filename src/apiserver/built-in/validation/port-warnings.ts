import type { Json, JsonObject } from '../../../util/json.js';
import { listOf } from '../../api/json-access.js';
import { seenWarnings } from './warning-parts.js';

interface Port {
  readonly port: JsonObject;
  readonly path: string;
  readonly container: JsonObject;
}

/** Returns warnings about ports that are declared twice: all of those about numbers, then those about names. Source: observed. */
export function portWarnings(pod: JsonObject, path: string): readonly string[] {
  const ports = ['initContainers', 'containers'].flatMap((list) =>
    listOf(pod[list]).flatMap((container, index) =>
      listOf(container.ports).map((port, number): Port => ({ port, path: `${path}.${list}[${index}].ports[${number}]`, container })),
    ),
  );
  if (ports.length < 2) return ports.flatMap(hostIpWarnings);
  return [...numberWarnings(ports), ...nameWarnings(ports)];
}

/** The earlier ports with one number and protocol by what they share with a later one, with their places. */
type Earlier = Map<string, { readonly each: Port; readonly place: number }[]>;

function numberWarnings(ports: readonly Port[]): readonly string[] {
  const byNumber = new Map<string, Earlier>();
  const warnings: string[] = [];
  for (const [place, each] of ports.entries()) {
    if (warnings.length > seenWarnings) break;
    warnings.push(...hostIpWarnings(each));
    const { containerPort = 0, protocol = 'TCP' } = each.port;
    const number = `${String(protocol)}/${String(containerPort)}`;
    const earlier = byNumber.get(number) ?? new Map();
    byNumber.set(number, earlier);
    warnings.push(...overlaps(each, earlier));
    for (const key of ownKeys(each.port)) {
      const known = earlier.get(key) ?? [];
      known.push({ each, place });
      earlier.set(key, known);
    }
  }
  return warnings;
}

/** Returns the groups that a port belongs to: a host port of 0 means that it has no host port. */
function ownKeys({ hostPort, hostIP }: JsonObject): readonly string[] {
  return hostPort ? ['all', `port ${String(hostPort)}`, `host ${String(hostPort)} ${String(hostIP ?? '')}`] : ['all', 'none'];
}

/** Returns the groups whose ports overlap with a port on its host. */
function otherKeys({ hostPort, hostIP }: JsonObject): readonly string[] {
  if (!hostPort) return ['all'];
  const host = `host ${String(hostPort)}`;
  return hostIP ? ['none', `${host} ${String(hostIP)}`, `${host} `] : ['none', `port ${String(hostPort)}`];
}

function overlaps(each: Port, earlier: Earlier): readonly string[] {
  const others = otherKeys(each.port).flatMap((key) => (earlier.get(key) ?? []).slice(0, seenWarnings));
  const inOrder = others.sort((left, right) => left.place - right.place);
  return inOrder.map(({ each: other }) => `${each.path}: ${overlapOf(other.port, each.port)} port definition with ${other.path}`);
}

/** Returns by which word two overlapping ports do so. */
function overlapOf(left: JsonObject, right: JsonObject): string {
  const [leftPort, rightPort] = [left.hostPort ?? 0, right.hostPort ?? 0];
  if (leftPort === rightPort && (left.hostIP ?? '') === (right.hostIP ?? '')) return 'duplicate';
  return leftPort === 0 || rightPort === 0 ? 'overlapping' : 'dangerously ambiguous';
}

/** Two ports of one container with one name are refused. */
function nameWarnings(ports: readonly Port[]): readonly string[] {
  const byName = new Map<Json, Port>();
  return ports.flatMap((each) => {
    const { path, container } = each;
    const { name } = each.port;
    if (!name) return [];
    const first = byName.get(name);
    if (first === undefined) byName.set(name, each);
    if (first === undefined || first.container === container) return [];
    const use = `services and probes that select ports by name will use ${first.path}`;
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${first.path}, ${use}`];
  });
}

function hostIpWarnings({ port, path }: Port): readonly string[] {
  const { name = '', hostPort, containerPort = 0, protocol = '', hostIP } = port;
  if (!hostIP || hostPort) return [];
  const shown = `{Name:${String(name)} HostPort:0 ContainerPort:${String(containerPort)} Protocol:${String(protocol)} HostIP:${String(hostIP)}}`;
  return [`${path}: hostIP set without hostPort: ${shown}`];
}
