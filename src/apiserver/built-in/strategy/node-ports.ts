import type { Json, JsonObject } from '../../../util/json.js';
import { invalidValue } from '../../api/field-error.js';
import { listOf } from '../../api/json-access.js';
import { internalError, invalid } from '../../api/status-error.js';

const first = 30_000;
const last = 32_767;

/** Returns true if a Service of this type can have node ports. */
export function hasNodePorts({ type }: JsonObject): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function allocates({ type, allocateLoadBalancerNodePorts }: JsonObject): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
}

/** Allocates node ports for the ports of a new Service; ports of the same number share one. @throws StatusError 422 */
export function newNodePorts(name: string, spec: JsonObject): readonly JsonObject[] {
  const ports = listOf(spec.ports);
  const taken = new Set<number>();
  const byPort = new Map<Json | undefined, number>();
  return ports.map((port, index) => {
    const ownPort = nodePortOf(port);
    if (ownPort === 0 && !allocates(spec)) return port;
    const shared = byPort.get(port.port);
    if (shared !== undefined && (ownPort === 0 || ownPort === shared)) return { ...port, nodePort: shared };
    const requested =
      shared === undefined ? nodePortOf(ports.find((other) => other.port === port.port && nodePortOf(other) !== 0) ?? {}) : ownPort;
    const nodePort = requested === 0 ? freePort(`${name}/${String(port.port)}`, taken) : allocateNodePort(name, requested, taken, index);
    taken.add(nodePort);
    if (shared === undefined) byPort.set(port.port, nodePort);
    return { ...port, nodePort };
  });
}

/** Allocates node ports on update: a port without one keeps the node port of the same name, if the Service still allocates. @throws StatusError 422, 500 */
export function updatedNodePorts(name: string, spec: JsonObject, before: JsonObject): readonly JsonObject[] {
  const old = new Set(listOf(before.ports).map(nodePortOf));
  const known =
    hasNodePorts(before) && allocates(spec)
      ? new Map(listOf(before.ports).map((port) => [port.name ?? '', nodePortOf(port)]))
      : new Map<Json, number>();
  const used = new Set(
    listOf(spec.ports)
      .map(nodePortOf)
      .filter((port) => old.has(port)),
  );
  const kept = listOf(spec.ports).map((port) => {
    const nodePort = nodePortOf(port) || (known.get(port.name ?? '') ?? 0);
    return nodePort === 0 || nodePortOf(port) !== 0 || used.has(nodePort) ? port : { ...port, nodePort };
  });
  const taken = new Set([...old, ...kept.map(nodePortOf)]);
  const seen = new Set<string>();
  return kept.map((port, index) => {
    const ownPort = nodePortOf(port);
    if (ownPort === 0 && !allocates(spec)) return port;
    if (ownPort !== 0 && !old.has(ownPort)) allocateNodePort(name, ownPort, new Set(), index);
    const nodePort = ownPort === 0 ? freePort(`${name}/${String(port.port)}`, taken) : ownPort;
    taken.add(nodePort);
    const key = `${String(port.protocol)} ${nodePort}`;
    if (seen.has(key)) throw internalError(`duplicate nodePort: {${key}}`);
    seen.add(key);
    return { ...port, nodePort };
  });
}

/** Returns the port for health checks that a Service with local traffic gets. */
export function healthCheckPort(name: string, spec: JsonObject): number {
  return freePort(`${name}/health`, new Set(listOf(spec.ports).map(nodePortOf)));
}

/** Removes the node ports of a Service whose type no longer has them, unless the update sets new ones. */
export function withoutNodePorts(ports: readonly JsonObject[], before: JsonObject): readonly JsonObject[] {
  const old = new Set(listOf(before.ports).map(nodePortOf));
  return ports.every((port) => nodePortOf(port) === 0 || old.has(nodePortOf(port))) ? ports.map(({ nodePort: _, ...port }) => port) : ports;
}

export function nodePortOf({ nodePort }: JsonObject): number {
  return typeof nodePort === 'number' ? nodePort : 0;
}

function allocateNodePort(name: string, port: number, taken: ReadonlySet<number>, index: number): number {
  const refuse = (detail: string) => invalid('Service', '', name, [invalidValue(`spec.ports[${index}].nodePort`, port, detail)]);
  if (port < first || port > last) throw refuse(`provided port is not in the valid range. The range of valid ports is ${first}-${last}`);
  if (taken.has(port)) throw refuse('provided port is already allocated');
  return port;
}

/** Returns a free port derived from the seed, so that the same requests always get the same ports. */
function freePort(seed: string, taken: ReadonlySet<number>): number {
  const count = last - first + 1;
  let port = first + (hash(seed) % count);
  while (taken.has(port)) port = first + ((port - first + 1) % count);
  return port;
}

export function hash(text: string): number {
  let result = 2166136261;
  for (const character of text) result = Math.imul(result ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return result;
}
