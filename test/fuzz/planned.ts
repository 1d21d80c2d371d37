import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Step } from '../vectors/scenario.js';

/** A request before it is sent. Symbols in its body stand for what the server at hand gave the object. */
export type Planned = Pick<Step, 'op' | 'target' | 'query' | 'body' | 'rawBody' | 'contentType' | 'accept'>;

export const symbols = {
  uid: '{{uid}}',
  resourceVersion: '{{resourceVersion}}',
  /** A resourceVersion that the object had before its last change. */
  stale: '{{stale}}',
  creationTimestamp: '{{creationTimestamp}}',
  managedFields: '{{managedFields}}',
} as const;

/** The values of symbols. */
export interface Known {
  readonly live: JsonObject | undefined;
  readonly stale: string | undefined;
}

/** An object of the server as a body of a client: with symbols for what the server gave. */
export function asBody(live: JsonObject): Record<string, Json> {
  const {
    managedFields,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp: _,
    deletionGracePeriodSeconds: __,
    ...rest
  } = withSymbols(live).metadata as JsonObject;
  const metadata = {
    ...rest,
    uid: symbols.uid,
    resourceVersion: symbols.resourceVersion,
    creationTimestamp: symbols.creationTimestamp,
    ...(managedFields === undefined ? {} : { managedFields: symbols.managedFields }),
  };
  return structuredClone({ ...withSymbols(live), metadata }) as Record<string, Json>;
}

/** An object with symbols for addresses, ports and labels that the server gave. */
export function withSymbols(object: JsonObject): JsonObject {
  if (object.kind === 'Job') return withUidSymbol(object, (object.metadata as JsonObject).uid as Json) as JsonObject;
  return object.kind === 'Service' && isJsonObject(object.spec) ? { ...object, spec: withoutAllocated(object.spec) } : object;
}

/** A Job has its uid in labels and in its selector. */
function withUidSymbol(value: Json, uid: Json): Json {
  if (value === uid && typeof uid === 'string') return symbols.uid;
  if (Array.isArray(value)) return value.map((item) => withUidSymbol(item as Json, uid));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withUidSymbol(member as Json, uid)]));
}

function withoutAllocated(spec: JsonObject): JsonObject {
  const ports = Array.isArray(spec.ports) ? { ports: (spec.ports as JsonObject[]).map(withoutPort) } : {};
  const address = spec.clusterIP === 'None' || spec.clusterIP === undefined ? {} : { clusterIP: '<ip>', clusterIPs: ['<ip>'] };
  return { ...spec, ...ports, ...address };
}

function withoutPort(port: JsonObject): JsonObject {
  return port.nodePort === undefined ? port : { ...port, nodePort: '<nodePort>' };
}

/** Puts what the server gave into the place of symbols. */
export function filled(body: Json, known: Known): Json {
  const metadata = (known.live?.metadata ?? {}) as JsonObject;
  const spec = (known.live?.spec ?? {}) as JsonObject;
  const values: Readonly<Record<string, Json>> = {
    [symbols.uid]: (metadata.uid as Json) ?? '00000000-0000-4000-8000-000000000001',
    [symbols.resourceVersion]: (metadata.resourceVersion as Json) ?? '1',
    [symbols.stale]: known.stale ?? '1',
    [symbols.creationTimestamp]: (metadata.creationTimestamp as Json) ?? null,
    [symbols.managedFields]: (metadata.managedFields as Json) ?? [],
    '<ip>': (spec.clusterIP as Json) ?? '10.96.0.77',
  };
  const nodePorts = Array.isArray(spec.ports) ? (spec.ports as JsonObject[]) : [];
  const fill = (value: Json, around: JsonObject): Json => {
    if (value === '<nodePort>') return nodePortOf(nodePorts, around);
    if (typeof value === 'string') return Object.hasOwn(values, value) ? (values[value] as Json) : value;
    if (Array.isArray(value)) return value.map((item) => fill(item as Json, {}));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member as Json, value)]));
  };
  return fill(body, {});
}

function nodePortOf(ports: readonly JsonObject[], around: JsonObject): Json {
  const same = ports.find(({ port, protocol }) => port === around.port && protocol === (around.protocol ?? 'TCP'));
  return (same?.nodePort as Json | undefined) ?? 0;
}
