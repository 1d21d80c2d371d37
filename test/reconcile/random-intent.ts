import type { PartialObject } from '../../src/assembly/types.js';
import type { Json, JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import { crdOf } from '../harness/crd.js';

export const boothGroup = 'reconcile.example.com';

/** A kind with each sort of list and map. */
export const boothCrd: PartialObject = crdOf(boothGroup, 'Booth', { spec: boothSpec() }) as PartialObject;

function boothSpec(): JsonObject {
  const port = {
    type: 'object',
    required: ['port'],
    properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, host: { type: 'string' }, tags: list('set') },
  };
  return {
    type: 'object',
    properties: {
      size: { type: 'integer' },
      ratio: { type: 'number' },
      on: { type: 'boolean' },
      either: { 'x-kubernetes-int-or-string': true },
      words: list('atomic'),
      tags: list('set'),
      ports: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'], items: port },
      rooms: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { color: { type: 'string' }, beds: { type: 'integer' } } },
      },
      frame: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { width: { type: 'integer' }, height: { type: 'integer' } } },
      any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
}

function list(type: 'set' | 'atomic'): JsonObject {
  return { type: 'array', 'x-kubernetes-list-type': type, items: { type: 'string' } };
}

/** Kinds of random intents. */
export const kinds = ['Booth', 'ConfigMap', 'Service', 'Deployment'] as const;
export type RandomKind = (typeof kinds)[number];

/** An intent that some manager may declare; its fields are few and its values fewer, so that managers meet. */
export function randomIntent(random: Random, kind: RandomKind, namespace: string, name: string): PartialObject {
  const metadata = { name, namespace, ...randomMetadata(random) };
  switch (kind) {
    case 'Booth':
      return { apiVersion: `${boothGroup}/v1`, kind, metadata, spec: randomBooth(random) };
    case 'ConfigMap':
      return { apiVersion: 'v1', kind, metadata, ...some(random, 'data', () => words(random)) };
    case 'Service':
      return { apiVersion: 'v1', kind, metadata, spec: randomService(random) };
    case 'Deployment':
      return { apiVersion: 'apps/v1', kind, metadata, spec: randomDeployment(random) };
  }
}

function randomMetadata(random: Random): JsonObject {
  return { ...some(random, 'labels', () => words(random)), ...some(random, 'annotations', () => words(random)) };
}

function randomBooth(random: Random): JsonObject {
  const port = () => ({
    port: random.pick([80, 443]),
    ...(random.chance(0.7) ? { protocol: random.pick(['TCP', 'UDP']) } : {}),
    ...some(random, 'host', () => random.pick(['a', 'b'])),
    ...some(random, 'tags', () => distinct(random, (tag) => String(tag))),
  });
  return {
    ...some(random, 'size', () => random.pick([0, 1, 2 ** 53])),
    ...some(random, 'ratio', () => random.pick([0, 1, 1.5, 1e21])),
    ...some(random, 'on', () => random.chance(0.5)),
    ...some(random, 'either', () => random.pick<Json>([1, '1', '50%'])),
    ...some(random, 'words', () => Array.from({ length: random.below(3) }, () => random.pick(['x', 'y']))),
    ...some(random, 'tags', () => distinct(random, (tag) => String(tag))),
    ...some(random, 'ports', () => distinct(random, (item) => `${item.port} ${item.protocol ?? 'TCP'}`, port)),
    ...some(random, 'rooms', () =>
      Object.fromEntries(distinct(random, String).map((room) => [room, random.pick<Json>([{}, { color: 'red' }, { beds: 0 }])])),
    ),
    ...some(random, 'frame', () => random.pick<Json>([{}, { width: 1 }, { width: 1, height: 2 }])),
    ...some(random, 'any', () => random.pick<Json>([{}, { a: 1 }, { a: [1, null] }, { a: null }, { b: { c: 'x' } }])),
  };
}

function randomService(random: Random): JsonObject {
  const port = () => ({
    name: random.pick(['http', 'https', 'dns']),
    port: random.pick([80, 443]),
    ...(random.chance(0.5) ? { protocol: random.pick(['TCP', 'UDP']) } : {}),
    ...some(random, 'targetPort', () => random.pick<Json>([8080, 'web'])),
  });
  const ports = distinct(random, (item) => `${item.port} ${item.protocol ?? 'TCP'}`, port);
  return {
    ...some(random, 'selector', () => words(random)),
    ports: ports.length > 0 ? ports : [{ name: 'http', port: 80 }],
    ...some(random, 'sessionAffinity', () => random.pick(['None', 'ClientIP'])),
    ...some(random, 'publishNotReadyAddresses', () => random.chance(0.5)),
  };
}

function randomDeployment(random: Random): JsonObject {
  const container = () => ({
    name: random.pick(['app', 'side']),
    image: random.pick(['a:1', 'a:2']),
    ...some(random, 'env', () =>
      distinct(
        random,
        (item) => item.name,
        () => ({ name: random.pick(['A', 'B']), value: random.pick(['', 'x']) }),
      ),
    ),
    ...some(random, 'args', () => ['--serve']),
    ...some(random, 'resources', () => ({ requests: { cpu: random.pick(['100m', '0.1', '1']) } })),
    ...some(random, 'ports', () => [{ containerPort: random.pick([80, 443]) }]),
  });
  const containers = distinct(random, (item) => item.name, container);
  return {
    ...some(random, 'replicas', () => random.below(3)),
    ...some(random, 'paused', () => random.chance(0.5)),
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: {
        containers: containers.length > 0 ? containers : [{ name: 'app', image: 'a:1' }],
        ...some(random, 'hostNetwork', () => random.chance(0.5)),
        ...some(random, 'nodeSelector', () => words(random)),
      },
    },
  };
}

function words(random: Random): JsonObject {
  return Object.fromEntries(distinct(random, String).map((name) => [name, random.pick(['x', 'y'])]));
}

function distinct(random: Random, key: (item: string) => string): string[];
function distinct<Item>(random: Random, key: (item: Item) => string, make: () => Item): Item[];
function distinct(random: Random, key: (item: never) => string, make: () => unknown = () => random.pick(['a', 'b', 'c'])): unknown[] {
  const items = new Map<string, unknown>();
  for (let count = random.below(4); count > 0; count--) {
    const item = make();
    items.set(key(item as never), item);
  }
  return [...items.values()];
}

function some(random: Random, name: string, make: () => Json): JsonObject {
  return random.chance(0.5) ? { [name]: make() } : {};
}
