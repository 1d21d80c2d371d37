import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Step } from '../vectors/scenario.js';
import { changed, damaged } from './mutate.js';
import { jsonPatchFor, mergePatchFor } from './patches.js';
import { asBody, type Planned, symbols } from './planned.js';
import type { Shape, Subject } from './subject.js';
import { drawn } from './values.js';

const managers = ['m1', 'm2', 'm3', 'kubectl'] as const;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

const metadataShape: Shape = {
  type: 'object',
  properties: {
    labels: { type: 'object', likely: 0.5, additionalProperties: { examples: ['x', 'y', ''] } },
    annotations: { type: 'object', likely: 0.3, additionalProperties: { examples: ['x', 'y', ''] } },
    finalizers: {
      type: 'array',
      likely: 0.1,
      'x-kubernetes-list-type': 'set',
      items: { examples: ['example.com/a', 'example.com/b'] },
    },
    ownerReferences: {
      type: 'array',
      likely: 0.1,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: {
        type: 'object',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: { examples: ['v1'] },
          kind: { examples: ['ConfigMap'] },
          name: { examples: ['a', 'b'] },
          uid: { examples: ['u-1', 'u-2'] },
          blockOwnerDeletion: { type: 'boolean', likely: 0.2 },
        },
      },
    },
  },
};

/** Thinks up the requests of one scenario, one after the other, each from what the one before left behind. */
export class Planner {
  readonly #random: Random;
  readonly #subject: Subject;
  readonly #id: string;
  readonly #namespace: string | undefined;
  /** In which version the step at hand speaks. */
  #apiVersion: string;
  /** What each manager applied last. */
  readonly #intents = new Map<string, JsonObject>();

  constructor(random: Random, subject: Subject, id: string, namespace: string) {
    this.#random = random;
    this.#subject = subject;
    this.#id = id;
    this.#namespace = subject.namespaced ? namespace : undefined;
    this.#apiVersion = subject.apiVersions[0] as string;
  }

  next(live: JsonObject | undefined): Planned {
    const random = this.#random;
    const { apiVersions } = this.#subject;
    this.#apiVersion = random.chance(0.75) ? (apiVersions[0] as string) : random.pick(apiVersions);
    if (live === undefined) return random.chance(0.7) ? this.#apply(live) : random.chance(0.8) ? this.#create() : this.#any(live);
    return this.#any(live);
  }

  #any(live: JsonObject | undefined): Planned {
    const { status, scale, custom, allocates } = this.#subject;
    const choices: [number, () => Planned][] = [
      [45, () => this.#apply(live)],
      [16, () => this.#update(live)],
      [11, () => this.#mergePatch(live)],
      [9, () => this.#jsonPatch(live)],
      [custom ? 0.3 : 9, () => this.#strategic(live)],
      [2, () => this.#create()],
      [4, () => this.#delete()],
      [status ? (allocates && live === undefined ? 0 : 9) : 0.3, () => this.#status(live)],
      [scale ? 5 : 0.3, () => this.#scale()],
      [0.5, () => this.#step('get')],
    ];
    let left = this.#random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, plan] of choices) {
      left -= weight;
      if (left < 0) return plan();
    }
    return this.#apply(live);
  }

  #apply(live: JsonObject | undefined): Planned {
    const random = this.#random;
    const manager = random.pick(managers);
    const intent = this.#content(manager, live);
    const step = this.#step('apply', intent, { fieldManager: manager, ...(random.chance(0.4) ? { force: 'true' } : {}) });
    if (random.chance(0.012)) return repeatedKey(random, step);
    return step;
  }

  /** What a manager intends now, mostly a change of what it intended before. */
  #content(manager: string, live: JsonObject | undefined): JsonObject {
    const random = this.#random;
    const { shape } = this.#subject;
    const before = this.#intents.get(manager);
    let content = before !== undefined && random.chance(0.6) ? changed(random, this.#main(shape), before) : this.#fresh(live);
    if (random.chance(0.03)) content = {};
    if (this.#breaks(0.12)) content = damaged(random, this.#main(shape), content);
    this.#intents.set(manager, content);
    return this.#addressed(content, manager);
  }

  #fresh(live: JsonObject | undefined): JsonObject {
    const random = this.#random;
    const shape = this.#main(this.#subject.shape);
    if (live === undefined || this.#subject.custom || random.chance(0.4)) return drawn(random, shape) as JsonObject;
    // A part of what a whole object has: later intents of built-in kinds need no complete spec.
    return partOf(random, drawn(random, shape) as JsonObject);
  }

  /** The shape of the object itself: its status belongs to the subresource, mostly. */
  #main(shape: Shape): Shape {
    const { status, ...properties } = shape.properties ?? {};
    const rare = status === undefined || !this.#random.chance(0.04) ? {} : { status };
    return { ...shape, properties: { ...properties, ...rare, metadata: { ...metadataShape, likely: 0.35 } } };
  }

  #addressed(content: JsonObject, manager: string): JsonObject {
    const random = this.#random;
    const { kind, allocates } = this.#subject;
    const extra: Record<string, Json> = {};
    if (random.chance(0.025)) extra.resourceVersion = random.pick([symbols.resourceVersion, symbols.stale, '0', '', 'abc']);
    if (random.chance(0.025)) extra.uid = random.pick([symbols.uid, '00000000-0000-4000-8000-000000000002', '']);
    if (random.chance(0.015)) extra.managedFields = random.pick<Json>([null, [], [{}], symbols.managedFields]);
    if (random.chance(0.01)) extra.generateName = 'made-';
    if (random.chance(0.01)) extra.creationTimestamp = random.pick<Json>([null, '2001-01-01T00:00:00Z', symbols.creationTimestamp]);
    if (random.chance(0.01)) extra.generation = random.pick<Json>([7, 0, null]);
    const metadata = isJsonObject(content.metadata) ? content.metadata : {};
    const body: JsonObject = {
      apiVersion: random.chance(0.006) ? random.pick<Json>(['v9', '', 'apps/v1']) : this.#apiVersion,
      kind: random.chance(0.004) ? random.pick<Json>(['Else', '']) : kind,
      ...content,
      metadata: {
        ...metadata,
        ...(random.chance(0.01)
          ? random.chance(0.5) && !allocates && extra.generateName === undefined
            ? {}
            : { name: `${this.#id}-x` }
          : { name: this.#id }),
        ...(this.#namespace === undefined || random.chance(0.3) ? {} : { namespace: random.chance(0.01) ? 'another' : this.#namespace }),
        ...extra,
      },
    };
    return manager === 'kubectl' && random.chance(0.15) ? withLastApplied(body) : body;
  }

  #create(): Planned {
    const random = this.#random;
    const shape = this.#main(this.#subject.shape);
    let content = drawn(random, shape) as JsonObject;
    if (this.#breaks(0.12)) content = damaged(random, shape, content);
    const step = this.#step('create', this.#addressed(content, 'kubectl'), this.#manager());
    return random.chance(0.01) ? repeatedKey(random, step) : step;
  }

  #update(live: JsonObject | undefined): Planned {
    const random = this.#random;
    const shape = this.#main(this.#subject.shape);
    let body =
      live === undefined
        ? (this.#addressed(drawn(random, shape) as JsonObject, 'm1') as Record<string, Json>)
        : { ...asBody(live), apiVersion: this.#apiVersion };
    for (let times = random.pick([0, 1, 1, 2]); times > 0; times--) body = this.#edited(body, shape, false);
    if (this.#breaks(0.1)) body = this.#edited(body, shape, true);
    const metadata = { ...(body.metadata as JsonObject) } as Record<string, Json>;
    if (random.chance(0.7)) for (const name of ['managedFields', 'uid', 'creationTimestamp', 'generation']) delete metadata[name];
    else if (random.chance(0.2)) metadata.managedFields = random.pick<Json>([[], [{}], null, oddManagedFields(random, this.#subject)]);
    if (random.chance(0.3)) delete metadata.resourceVersion;
    else if (random.chance(0.06)) metadata.resourceVersion = random.pick([symbols.stale, '0', 'abc', '']);
    if (random.chance(0.02)) metadata.uid = '00000000-0000-4000-8000-000000000002';
    body = { ...body, metadata };
    const step = this.#step('update', body, this.#manager());
    return random.chance(0.01) ? repeatedKey(random, step) : step;
  }

  /** Changes content and metadata, and leaves what addresses the object. */
  #edited(body: Record<string, Json>, shape: Shape, damage: boolean): Record<string, Json> {
    const { apiVersion, kind, metadata, status, ...content } = body as Record<string, Json> & { metadata: JsonObject };
    const { labels, annotations, finalizers, ownerReferences, ...address } = metadata;
    const own = Object.fromEntries(
      Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(([, member]) => member !== undefined),
    ) as JsonObject;
    const before = { ...content, ...(Object.keys(own).length > 0 ? { metadata: own } : {}) };
    const after = (damage ? damaged : changed)(this.#random, shape, before);
    const edited = isJsonObject(after.metadata) ? after.metadata : {};
    return {
      ...(after as Record<string, Json>),
      apiVersion: apiVersion as Json,
      kind: kind as Json,
      ...(status === undefined ? {} : { status }),
      metadata: { ...edited, ...address },
    };
  }

  #mergePatch(live: JsonObject | undefined): Planned {
    return this.#step(
      'merge-patch',
      mergePatchFor(this.#random, this.#main(this.#subject.shape), live, this.#breaks(0.1)),
      this.#manager(),
    );
  }

  #jsonPatch(live: JsonObject | undefined): Planned {
    return this.#step(
      'json-patch',
      jsonPatchFor(this.#random, this.#main(this.#subject.shape), live, this.#subject.custom),
      this.#manager(),
    );
  }

  #strategic(live: JsonObject | undefined): Planned {
    return this.#step(
      'strategic-merge-patch',
      mergePatchFor(this.#random, this.#main(this.#subject.shape), live, this.#breaks(0.1)),
      this.#manager(),
    );
  }

  #delete(): Planned {
    const random = this.#random;
    const preconditions = random.pick<JsonObject>([
      { uid: symbols.uid },
      { uid: '00000000-0000-4000-8000-000000000002' },
      { resourceVersion: symbols.resourceVersion },
      { resourceVersion: symbols.stale },
    ]);
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...(random.chance(0.5) ? { preconditions } : {}) };
    const query: Record<string, string> = random.chance(0.1) ? { dryRun: 'All' } : {};
    return { op: 'delete', target: this.#target(), ...(random.chance(0.5) ? { body } : {}), query };
  }

  #status(live: JsonObject | undefined): Planned {
    const random = this.#random;
    const shape = this.#subject.shape.properties?.status ?? { type: 'object', properties: { phase: { type: 'string' } } };
    const status = () => {
      const value = drawn(random, shape, 1) as JsonObject;
      return this.#breaks(0.1) ? damaged(random, shape, value) : value;
    };
    const target = this.#target('status');
    const more = random.chance(0.15) ? (drawn(random, this.#main(this.#subject.shape)) as JsonObject) : {};
    switch (random.below(3)) {
      case 0: {
        const manager = random.pick(managers);
        const body = this.#addressed({ ...more, status: status() }, manager);
        const query = { fieldManager: manager, ...(random.chance(0.4) ? { force: 'true' } : {}) };
        return { ...this.#step('apply', body, query), target };
      }
      case 1:
        return { ...this.#step('merge-patch', { ...more, status: status() }, this.#manager()), target };
      default: {
        const body = live === undefined ? this.#addressed({}, 'm1') : { ...asBody(live), apiVersion: this.#apiVersion };
        return {
          ...this.#step('update', { ...body, ...more, metadata: body.metadata as Json, status: status() }, this.#manager()),
          target,
        };
      }
    }
  }

  #scale(): Planned {
    const random = this.#random;
    const target = this.#target('scale');
    const replicas = random.pick<Json>([0, 1, 2, 3, 3, -1, 'x', null]);
    const spec = random.chance(0.9) ? { replicas } : {};
    const metadata = { name: this.#id, ...(this.#namespace === undefined ? {} : { namespace: this.#namespace }) };
    const whole: JsonObject = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec };
    switch (random.below(3)) {
      case 0: {
        const query = { fieldManager: random.pick(managers), ...(random.chance(0.4) ? { force: 'true' } : {}) };
        return { ...this.#step('apply', whole, query), target };
      }
      case 1:
        return { ...this.#step('merge-patch', { spec }, this.#manager()), target };
      default: {
        const resourceVersion = random.chance(0.5) ? { resourceVersion: symbols.resourceVersion } : {};
        return { ...this.#step('update', { ...whole, metadata: { ...metadata, ...resourceVersion } }, this.#manager()), target };
      }
    }
  }

  /** Whether to break a value: what a built-in kind says then is code of the server. */
  #breaks(likelihood: number): boolean {
    return this.#subject.custom && this.#random.chance(likelihood);
  }

  #manager(): Record<string, string> {
    return this.#random.chance(0.8) ? { fieldManager: this.#random.pick(managers) } : {};
  }

  #step(op: Step['op'], body?: Json, query: Record<string, string> = {}): Planned {
    const random = this.#random;
    const more: Record<string, string> = {};
    if (op !== 'get') {
      if (random.chance(0.07)) more.dryRun = 'All';
      if (random.chance(0.25)) more.fieldValidation = random.pick(['Strict', 'Warn', 'Ignore']);
      if (random.chance(0.004)) more.fieldValidation = 'Maybe';
      if (random.chance(0.004)) more.dryRun = 'Some';
      if (random.chance(0.004)) more.fieldManager = random.pick(['', 'é', 'x'.repeat(129), 'a\u0001b']);
      if (random.chance(0.004)) more.force = random.pick(['true', 'maybe']);
    }
    return { op, target: this.#target(), query: { ...query, ...more }, ...(body === undefined ? {} : { body }) };
  }

  #target(subresource?: string): Planned['target'] {
    const { kind, resource } = this.#subject;
    return {
      apiVersion: this.#apiVersion,
      kind,
      resource,
      ...(this.#namespace === undefined ? {} : { namespace: this.#namespace }),
      name: this.#id,
      ...(subresource === undefined ? {} : { subresource }),
    };
  }
}

function partOf(random: Random, value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(() => random.chance(0.7));
  return Object.fromEntries(
    kept.map(([name, member]) => [name, isJsonObject(member) && random.chance(0.7) ? partOf(random, member) : (member as Json)]),
  );
}

function withLastApplied(body: JsonObject): JsonObject {
  const metadata = body.metadata as JsonObject;
  const annotations = isJsonObject(metadata.annotations) ? metadata.annotations : {};
  return { ...body, metadata: { ...metadata, annotations: { ...annotations, [lastApplied]: `${JSON.stringify(body)}\n` } } };
}

function oddManagedFields(random: Random, { apiVersions }: Subject): Json {
  const entry = {
    manager: 'own',
    operation: random.pick(['Apply', 'Update']),
    apiVersion: random.pick([...apiVersions, 'v9']),
    time: '2001-01-01T00:00:00Z',
    fieldsType: random.pick(['FieldsV1', 'FieldsV1', 'FieldsV1', 'FieldsV2']),
    fieldsV1: random.pick<Json>([{ 'f:spec': { 'f:title': {} } }, { 'f:data': { 'f:a': {} } }, {}, { odd: 1 }]),
  };
  return random.chance(0.8) ? [entry] : [entry, { ...entry, operation: 'Sometimes' }];
}

/** The body as text with one of its members twice. */
function repeatedKey(random: Random, step: Planned): Planned {
  const { body, ...rest } = step;
  const text = JSON.stringify(body);
  // Symbols are filled in bodies only.
  if (text.includes('{{') || text.includes('<ip>') || text.includes('<nodePort>')) return step;
  const members = [...text.matchAll(/"([a-zA-Z]+)":("[^"\\]*"|\d+|true|false)(?=[,}])/g)];
  if (members.length === 0) return step;
  const { index, 0: member } = random.pick(members);
  return { ...rest, rawBody: `${text.slice(0, index)}${member},${text.slice(index)}` };
}
