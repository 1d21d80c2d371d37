import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import { protobufType } from '../vectors/protobuf-exchange.js';
import { withDirectives } from './directives.js';
import type { FuzzSubject, Shape } from './fuzz-subject.js';
import { changed, damaged } from './mutate.js';
import { oddManagedFields, partOf, repeatedKey } from './odd-bodies.js';
import { jsonPatchFor, mergePatchFor } from './patches.js';
import { asBody, type Planned, symbols } from './planned.js';
import { managers, RequestAuthor } from './request-author.js';
import { partRequest, scaleRequest, statusRequest } from './subresources.js';
import { drawn } from './values.js';

/** Thinks up the requests of one scenario, one after the other, each from what the one before left behind. */
export class Planner {
  readonly #speaker: RequestAuthor;
  /** The last applied intent of each manager. */
  readonly #intents = new Map<string, JsonObject>();

  constructor(random: Random, subject: FuzzSubject, id: string, namespace: string) {
    this.#speaker = new RequestAuthor(random, subject, id, namespace);
  }

  next(live: JsonObject | undefined): Planned {
    const random = this.#speaker.random;
    const { apiVersions } = this.#speaker.subject;
    this.#speaker.apiVersion = random.chance(0.75) ? (apiVersions[0] as string) : random.pick(apiVersions);
    if (live !== undefined) return this.#encoded(this.#any(live));
    return this.#encoded(random.chance(0.7) ? this.#apply(live) : random.chance(0.8) ? this.#create() : this.#any(live));
  }

  /** Now and then as protobuf, which typed Go clients speak; a custom kind has none. */
  #encoded(planned: Planned): Planned {
    const random = this.#speaker.random;
    if (!random.chance(this.#speaker.subject.custom ? 0.02 : 0.3)) return planned;
    const hasProtobuf = ['create', 'update', 'delete'].includes(planned.op) && planned.body !== undefined;
    return {
      ...planned,
      ...(hasProtobuf && random.chance(0.8) ? { contentType: protobufType } : {}),
      ...(random.chance(0.6) ? { accept: random.pick([protobufType, `${protobufType},application/json`]) } : {}),
    };
  }

  #any(live: JsonObject | undefined): Planned {
    const { status, scale, parts, custom } = this.#speaker.subject;
    const choices: [number, () => Planned][] = [
      [45, () => this.#apply(live)],
      [16, () => this.#update(live)],
      [11, () => this.#mergePatch(live)],
      [9, () => this.#jsonPatch(live)],
      [custom ? 0.3 : 9, () => this.#strategic(live)],
      [2, () => this.#create()],
      [4, () => this.#delete()],
      [status ? 9 : 0.3, () => statusRequest(this.#speaker, live)],
      [scale ? 5 : 0.3, () => scaleRequest(this.#speaker)],
      [parts.length > 0 ? 8 : 0, () => partRequest(this.#speaker, live)],
      [0.5, () => this.#speaker.step('get')],
    ];
    let left = this.#speaker.random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, plan] of choices) {
      left -= weight;
      if (left < 0) return plan();
    }
    return this.#apply(live);
  }

  #apply(live: JsonObject | undefined): Planned {
    const random = this.#speaker.random;
    const manager = random.pick(managers);
    const intent = this.#content(manager, live);
    const step = this.#speaker.step('apply', intent, { fieldManager: manager, ...(random.chance(0.4) ? { force: 'true' } : {}) });
    if (random.chance(0.012)) return repeatedKey(random, step);
    return step;
  }

  /** Returns the next intent of a manager, usually a change of its previous one. */
  #content(manager: string, live: JsonObject | undefined): JsonObject {
    const random = this.#speaker.random;
    const { shape } = this.#speaker.subject;
    const before = this.#intents.get(manager);
    let content = before !== undefined && random.chance(0.6) ? changed(random, this.#speaker.main(shape), before) : this.#fresh(live);
    if (random.chance(0.03)) content = {};
    if (this.#speaker.breaks(0.12)) content = damaged(random, this.#speaker.main(shape), content);
    this.#intents.set(manager, content);
    return this.#speaker.addressed(content, manager);
  }

  #fresh(live: JsonObject | undefined): JsonObject {
    const random = this.#speaker.random;
    const shape = this.#speaker.main(this.#speaker.subject.shape);
    if (live === undefined || this.#speaker.subject.custom || random.chance(0.4)) return drawn(random, shape) as JsonObject;
    // A part of what a whole object has: later intents of built-in kinds need no complete spec.
    return partOf(random, drawn(random, shape) as JsonObject);
  }

  #create(): Planned {
    const random = this.#speaker.random;
    const shape = this.#speaker.main(this.#speaker.subject.shape);
    let content = drawn(random, shape) as JsonObject;
    if (this.#speaker.breaks(0.12)) content = damaged(random, shape, content);
    const step = this.#speaker.step('create', this.#speaker.addressed(content, 'kubectl'), this.#speaker.manager());
    return random.chance(0.01) ? repeatedKey(random, step) : step;
  }

  #update(live: JsonObject | undefined): Planned {
    const random = this.#speaker.random;
    const shape = this.#speaker.main(this.#speaker.subject.shape);
    let body =
      live === undefined
        ? (this.#speaker.addressed(drawn(random, shape) as JsonObject, 'm1') as Record<string, Json>)
        : { ...asBody(live), apiVersion: this.#speaker.apiVersion };
    for (let times = random.pick([0, 1, 1, 2]); times > 0; times--) body = this.#edited(body, shape, false);
    if (this.#speaker.breaks(0.1)) body = this.#edited(body, shape, true);
    const metadata = { ...(body.metadata as JsonObject) } as Record<string, Json>;
    if (random.chance(0.7)) for (const name of ['managedFields', 'uid', 'creationTimestamp', 'generation']) delete metadata[name];
    else if (random.chance(0.2))
      metadata.managedFields = random.pick<Json>([[], [{}], null, oddManagedFields(random, this.#speaker.subject)]);
    if (random.chance(0.3)) delete metadata.resourceVersion;
    else if (random.chance(0.06)) metadata.resourceVersion = random.pick([symbols.stale, '0', 'abc', '']);
    if (random.chance(0.02)) metadata.uid = '00000000-0000-4000-8000-000000000002';
    body = { ...body, metadata };
    const step = this.#speaker.step('update', body, this.#speaker.manager());
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
    const after = (damage ? damaged : changed)(this.#speaker.random, shape, before);
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
    return this.#speaker.step(
      'merge-patch',
      mergePatchFor(this.#speaker.random, this.#speaker.main(this.#speaker.subject.shape), live, this.#speaker.breaks(0.1)),
      this.#speaker.manager(),
    );
  }

  #jsonPatch(live: JsonObject | undefined): Planned {
    return this.#speaker.step(
      'json-patch',
      jsonPatchFor(this.#speaker.random, this.#speaker.main(this.#speaker.subject.shape), live, this.#speaker.subject.custom),
      this.#speaker.manager(),
    );
  }

  #strategic(live: JsonObject | undefined): Planned {
    const random = this.#speaker.random;
    const shape = this.#speaker.main(this.#speaker.subject.shape);
    const patch = mergePatchFor(random, shape, live, this.#speaker.breaks(0.1));
    return this.#speaker.step(
      'strategic-merge-patch',
      random.chance(0.35) ? withDirectives(random, shape, patch, live) : patch,
      this.#speaker.manager(),
    );
  }

  #delete(): Planned {
    const random = this.#speaker.random;
    const preconditions = random.pick<JsonObject>([
      { uid: symbols.uid },
      { uid: '00000000-0000-4000-8000-000000000002' },
      { resourceVersion: symbols.resourceVersion },
      { resourceVersion: symbols.stale },
    ]);
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...(random.chance(0.5) ? { preconditions } : {}) };
    const query: Record<string, string> = {
      ...(random.chance(0.1) ? { dryRun: 'All' } : {}),
      ...(random.chance(0.3) ? { gracePeriodSeconds: random.pick(['0', '5', '-1', '60']) } : {}),
    };
    return { op: 'delete', target: this.#speaker.target(), ...(random.chance(0.5) ? { body } : {}), query };
  }
}
