import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** What the server allocates for a Service: cluster addresses, IP families, node ports. Source: Kubernetes documentation "Service". */
export function prepareService(object: JsonObject, live: JsonObject | undefined): JsonObject {
  if (object.kind !== 'Service' || object.apiVersion !== 'v1' || !isJsonObject(object.spec)) return object;
  const spec: Record<string, Json> = { ...object.spec } as Record<string, Json>;
  const before = (live?.spec ?? {}) as Record<string, Json>;
  if (needsTrafficPolicy(before) && !needsTrafficPolicy(spec) && jsonSame(spec.externalTrafficPolicy, before.externalTrafficPolicy)) {
    delete spec.externalTrafficPolicy;
  }
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') delete spec.allocateLoadBalancerNodePorts;
  if (spec.type === 'ExternalName') {
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']) {
      if (live !== undefined && jsonSame(spec[name], before[name])) delete spec[name];
    }
    return { ...object, spec };
  }
  if (live !== undefined && before.type !== 'ExternalName') {
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) spec[name] ??= before[name] as Json;
  }
  if (spec.clusterIP === undefined) {
    const [first] = Array.isArray(spec.clusterIPs) ? (spec.clusterIPs as string[]) : [];
    spec.clusterIP = first ?? addressFor(object);
  }
  spec.clusterIPs ??= [spec.clusterIP];
  spec.ipFamilies ??= ['IPv4'];
  spec.ipFamilyPolicy ??= 'SingleStack';
  if (needsNodePorts(spec)) spec.ports = withNodePorts(spec, before, object);
  else if (live !== undefined && Array.isArray(spec.ports) && needsNodePorts(before)) {
    // A type that has no node ports gives them back, unless they are asked for anew.
    const old = new Set(((before.ports ?? []) as JsonObject[]).map((port) => port.nodePort));
    spec.ports = (spec.ports as JsonObject[]).map(({ nodePort, ...port }) =>
      nodePort === undefined || old.has(nodePort) ? port : { ...port, nodePort },
    );
  }
  for (const name of Object.keys(spec)) if (spec[name] === undefined) delete spec[name];
  return { ...object, spec };
}

function needsTrafficPolicy({ type, externalIPs }: JsonObject): boolean {
  return type === 'NodePort' || type === 'LoadBalancer' || (Array.isArray(externalIPs) && externalIPs.length > 0);
}

function needsNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

function withNodePorts(spec: JsonObject, before: JsonObject, object: JsonObject): Json {
  const old = (Array.isArray(before.ports) ? before.ports : []) as JsonObject[];
  const ports = (Array.isArray(spec.ports) ? spec.ports : []) as JsonObject[];
  return ports.map((port, index) => {
    if (port.nodePort !== undefined && port.nodePort !== 0) return port;
    const same = old.find((other) => other.port === port.port && other.protocol === port.protocol);
    const kept = same?.nodePort;
    return {
      ...port,
      nodePort: kept ?? 30000 + ((hash(`${nameOf(object)}/${String(port.port)}/${String(port.protocol)}`) + index) % 2768),
    };
  });
}

function addressFor(object: JsonObject): string {
  const number = hash(nameOf(object));
  return `10.96.${(number >>> 8) % 256}.${(number % 254) + 1}`;
}

function nameOf(object: JsonObject): string {
  const { namespace, name } = object.metadata as { namespace?: string; name?: string };
  return `${namespace}/${name}`;
}

function hash(text: string): number {
  let result = 2166136261;
  for (const character of text) result = Math.imul(result ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return result;
}

function jsonSame(left: Json | undefined, right: Json | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
