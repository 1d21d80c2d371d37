import { type Json, type JsonObject, jsonEqual } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Shape } from '../fuzz/fuzz-subject.js';
import { changed, damaged } from '../fuzz/mutate.js';
import type { Servers } from '../fuzz/servers.js';
import { drawn } from '../fuzz/values.js';
import type { Received, Sent } from '../vectors/exchange.js';
import { differences } from '../vectors-engine/difference.js';
import { answerOf } from './answer.js';
import { withoutRefusedRules } from './refused-rules.js';
import { changedSchema, drawnRoot, drawnSchema, sentSchema, withRules } from './schema-author.js';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const statusShape: Shape = { type: 'object', properties: { phase: { type: 'string', enum: ['a', 'b'] }, count: { type: 'integer' } } };

/** One definition, its changes, and the writes of one object between them. All of it follows from the random numbers. */
export class Scenario {
  readonly counts = { requests: 0, rules: 0, refusals: 0, unsteady: 0 };
  readonly #servers: Servers;
  readonly #random: Random;
  readonly #group: string;
  readonly #found: string[] = [];
  readonly #intents = new Map<string, JsonObject>();
  #shape: Shape = {};
  #root: Shape = {};
  #round = 0;

  constructor(servers: Servers, random: Random, group: string) {
    this.#servers = servers;
    this.#random = random;
    this.#group = group;
  }

  /** @returns the differences, of which the first ends the scenario */
  async run(): Promise<readonly string[]> {
    const random = this.#random;
    const base = changedSchema(random, drawnSchema(random), 0.1);
    this.#root = random.chance(0.3) ? drawnRoot(random) : {};
    // Many rules are refused, or refuse the writes; some definitions have none, so that more is written and changed.
    const [first, later] = random.chance(0.4) ? [0, 0] : [0.3, 0.2];
    if (!(await this.#define(withRules(random, base, first)))) return this.#found;
    for (const length of [8, 8, 8]) {
      for (let index = 0; index < length && this.#found.length === 0; index++) await this.#write();
      if (this.#found.length > 0) break;
      this.#round += 1;
      await this.#define(withRules(random, changedSchema(random, this.#shape, 0.3), later));
    }
    await this.#both({ method: 'DELETE', path: `${definitions}/things.${this.#group}` });
    return this.#found;
  }

  /** Puts a definition into effect, without the rules and changes that both servers refuse. */
  async #define(wanted: Shape): Promise<boolean> {
    let shape = wanted;
    for (let tries = 0; tries < 4 && this.#found.length === 0; tries++) {
      const live = this.#round === 0 ? undefined : await this.#definition();
      const method = live === undefined ? 'POST' : 'PUT';
      const path = live === undefined ? definitions : `${definitions}/things.${this.#group}`;
      const request = { method, path, body: JSON.stringify(this.#definitionOf(shape)), query: { dryRun: 'All' } };
      const answer = await this.#compared(request);
      this.counts.rules += JSON.stringify(shape).split('"rule":').length - 1;
      if (answer === undefined) return false;
      if (answer.code < 300) {
        await this.#both({ ...request, query: {} });
        this.#shape = shape;
        await this.#effective();
        return true;
      }
      shape = withoutRefusedRules(shape, answer.body as JsonObject) ?? this.#shape;
    }
    return false;
  }

  async #definition(): Promise<Json | undefined> {
    return (await this.#servers.real({ method: 'GET', path: `${definitions}/things.${this.#group}` })).body;
  }

  #definitionOf(shape: Shape): JsonObject {
    const root = sentSchema(this.#root) as JsonObject;
    const properties = { ...(root.properties as JsonObject), spec: sentSchema(shape), status: sentSchema(statusShape) };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${this.#group}` },
      spec: {
        group: this.#group,
        scope: 'Cluster',
        names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', ...root, properties } },
            additionalPrinterColumns: [{ name: `Round${this.#round}`, type: 'string', jsonPath: '.metadata.name' }],
          },
        ],
      },
    } as unknown as JsonObject;
  }

  /** Waits until the real server serves the definition: the name of a printed column tells which. */
  async #effective(): Promise<void> {
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    for (let tries = 0; tries < 400; tries++) {
      const { body } = await this.#servers.real({ method: 'GET', path: this.#path(''), accept });
      if (JSON.stringify(body ?? null).includes(`"Round${this.#round}"`)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`The definition of ${this.#group} does not come into effect`);
  }

  #path(name: string): string {
    return `/apis/${this.#group}/v1/things${name === '' ? '' : `/${name}`}`;
  }

  async #write(): Promise<void> {
    const { body: live, code } = await this.#servers.real({ method: 'GET', path: this.#path('one') });
    const request = this.#request(code === 200 ? (live as JsonObject) : undefined);
    const tried = await this.#compared({ ...request, query: { ...request.query, dryRun: 'All' } });
    if (tried === undefined || tried.code >= 300) return;
    const [expected, actual] = await this.#both(request);
    this.#note(request, expected, actual);
  }

  #request(live: JsonObject | undefined): Sent {
    const random = this.#random;
    if (live !== undefined && random.chance(0.15)) return this.#statusRequest(live);
    if (live === undefined ? random.chance(0.5) : random.chance(0.45)) return this.#apply();
    const spec = this.#spec(live === undefined ? undefined : ((live.spec ?? {}) as JsonObject));
    const query: Record<string, string> = random.chance(0.7) ? { fieldManager: random.pick(['m1', 'm2']) } : {};
    if (live === undefined) return { method: 'POST', path: this.#path(''), query, body: JSON.stringify(this.#addressed({ spec })) };
    if (random.chance(0.3)) {
      const labels = { metadata: { labels: { a: random.pick(['1', '2']) } } };
      return {
        method: 'PATCH',
        path: this.#path('one'),
        query,
        contentType: 'application/merge-patch+json',
        body: JSON.stringify(random.chance(0.5) ? labels : { spec: drawn(random, this.#shape, 1) }),
      };
    }
    return { method: 'PUT', path: this.#path('one'), query, body: JSON.stringify(this.#addressed({ spec })) };
  }

  #apply(): Sent {
    const random = this.#random;
    const manager = random.pick(['m1', 'm2', 'm3']);
    const spec = this.#spec(this.#intents.get(manager));
    this.#intents.set(manager, spec);
    return {
      method: 'PATCH',
      path: this.#path('one'),
      query: { fieldManager: manager, ...(random.chance(0.6) ? { force: 'true' } : {}) },
      contentType: 'application/apply-patch+yaml',
      body: JSON.stringify(this.#addressed({ spec })),
    };
  }

  #statusRequest(live: JsonObject): Sent {
    const status = drawn(this.#random, statusShape, 1);
    const path = `${this.#path('one')}/status`;
    const spec = (live.spec ?? {}) as Json;
    if (this.#random.chance(0.5)) return { method: 'PUT', path, body: JSON.stringify(this.#addressed({ spec, status })) };
    return {
      method: 'PATCH',
      path,
      query: { fieldManager: 'controller', force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: JSON.stringify(this.#addressed({ status })),
    };
  }

  #spec(before: JsonObject | undefined): JsonObject {
    const random = this.#random;
    let spec =
      before !== undefined && random.chance(0.7) ? changed(random, this.#shape, before) : (drawn(random, this.#shape, 0) as JsonObject);
    if (random.chance(0.1)) spec = damaged(random, this.#shape, spec);
    return spec;
  }

  #addressed(content: JsonObject): JsonObject {
    return { apiVersion: `${this.#group}/v1`, kind: 'Thing', metadata: { name: 'one' }, ...content };
  }

  async #both(request: Sent): Promise<readonly [Received, Received]> {
    this.counts.requests += 1;
    return Promise.all([this.#servers.real(request), this.#servers.embedded(request)]);
  }

  /** Sends a request without effect. @returns the answer; undefined where they differ, or where the real server has several */
  async #compared(request: Sent): Promise<Received | undefined> {
    const [expected, actual] = await this.#both(request);
    if (expected.code >= 300) this.counts.refusals += 1;
    const ours = answerOf(actual);
    if (jsonEqual(answerOf(expected), ours)) return expected;
    for (let tries = 0; tries < 8; tries++) {
      const again = answerOf(await this.#servers.real(request));
      if (!jsonEqual(again, ours) && jsonEqual(again, answerOf(expected))) continue;
      this.counts.unsteady += 1;
      return undefined;
    }
    this.#note(request, expected, actual);
    return undefined;
  }

  #note(request: Sent, expected: Received, actual: Received): void {
    const lines = [...differencesOf(answerOf(expected), answerOf(actual))];
    if (lines.length === 0) return;
    this.#found.push([`${request.method} ${request.path} ${JSON.stringify(request.query)}`, ...lines].join('\n    '));
    const isDefinition = request.path.startsWith(definitions);
    this.#found.push(isDefinition ? `    ${request.body}` : `    ${request.body} of ${JSON.stringify(sentSchema(this.#shape))}`);
  }
}

/** Where two answers differ: causes by what only one of them has. */
function* differencesOf(expected: JsonObject, actual: JsonObject): Generator<string> {
  const causesOf = ({ body }: JsonObject) => (((body as JsonObject | undefined)?.causes ?? []) as readonly string[]).map(String);
  const [wanted, found] = [causesOf(expected), causesOf(actual)];
  if (wanted.length === 0 || found.length === 0) return yield* differences(expected, actual);
  for (const cause of wanted) if (!found.includes(cause)) yield `- ${cause}`;
  for (const cause of found) if (!wanted.includes(cause)) yield `+ ${cause}`;
  yield* differences({ ...expected, body: null }, { ...actual, body: null });
}
