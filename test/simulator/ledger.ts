import type { RequestHandler } from '../../src/entry/request-handler.js';
import { isJsonObject, type Json } from '../../src/util/json.js';
import type { ResponseBody } from '../harness/api-client.js';
import type { Exchange } from './network.js';
import type { World } from './world.js';

/** One state of one object, with its time and its author. */
export interface State {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Undefined where it was deleted. */
  readonly object: ResponseBody | undefined;
  readonly at: number;
  /** The request that made it; the name of a writer that is no run. */
  readonly by: Exchange | string;
  /** How many lines had been told before. */
  readonly line: number;
}

/** One line of the story of a history. */
export interface Line {
  readonly at: number;
  readonly who: string;
  readonly text: string;
}

/** The world of which it writes: its time, and where it waits for a watch. */
type LedgerWorld = Pick<World, 'now' | 'schedule' | 'hold'>;

/** Writes down all that happens: each request, and each state of each object with its author. */
export class Ledger {
  readonly #world: LedgerWorld;
  readonly #states = new Map<string, State[]>();
  readonly lines: Line[] = [];
  /** What was there at the beginning is no part of the story. */
  #hasBegun = false;
  #author: Exchange | string | undefined;
  /** Looks at what a request has written, where nothing tells it. */
  #look: () => Promise<void> = async () => {};

  constructor(world: LedgerWorld) {
    this.#world = world;
  }

  /** Reads collections after each request, from now on: for a server of another process, of whose watches nobody knows when they have told all. */
  async readAfterEach(server: RequestHandler, collections: readonly string[]): Promise<void> {
    this.#look = async () => {
      const lists = await Promise.all(
        collections.map((path) => server.handle({ method: 'GET', path, query: new URLSearchParams(), headers: {} })),
      );
      this.#noteAll(lists.flatMap(({ body }) => itemsOf(body as ResponseBody)));
    };
    await this.#look();
    this.#hasBegun = true;
  }

  /** Follows collections, such as `/api/v1/configmaps`, from now on. */
  async follow(server: RequestHandler, collections: readonly string[]): Promise<void> {
    for (const path of collections) await this.#followOne(server, path, {});
    this.#hasBegun = true;
  }

  /** Watches again where the server ends a watch, as when the definition of a kind changes. */
  async #followOne(server: RequestHandler, path: string, from: { readonly resourceVersion?: string }): Promise<void> {
    const query = new URLSearchParams({ watch: '1', timeoutSeconds: '1000000', ...from });
    const { watch, code, body } = await server.handle({ method: 'GET', path, query, headers: {} });
    if (watch === undefined) throw new Error(`${path} cannot be watched: ${code} ${JSON.stringify(body)}`);
    let seen = from;
    watch(
      (event) => {
        const { type, object } = event as unknown as ResponseBody;
        // After an error, the watch begins with what is there now.
        seen = type === 'ERROR' ? {} : { resourceVersion: object.metadata.resourceVersion };
        if (type !== 'ERROR') this.#note(event);
      },
      () => this.#world.schedule(0, { of: 'server' }, () => this.#world.hold(this.#followOne(server, path, seen))),
    );
  }

  tell(who: string, text: string): void {
    this.lines.push({ at: this.#world.now, who, text });
  }

  /** Lets the server work for somebody. */
  async during<Result>(author: Exchange | string, work: () => Promise<Result>): Promise<Result> {
    if (this.#author !== undefined) throw new Error('the server works for two at once: it waits for something that is no request');
    this.#author = author;
    try {
      const result = await work();
      await this.#look();
      return result;
    } finally {
      this.#author = undefined;
    }
  }

  /** The states of an object, oldest first, by `Kind name`. */
  of(name: string): readonly State[] {
    return this.#states.get(name) ?? [];
  }

  get names(): readonly string[] {
    return [...this.#states.keys()];
  }

  /** Notes all objects that there are. */
  #noteAll(objects: readonly ResponseBody[]): void {
    const byVersion = objects.toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion));
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const states of this.#states.values()) {
      const last = states.at(-1);
      if (last?.object === undefined || uids.has(last.uid)) continue;
      const metadata = { ...last.object.metadata, resourceVersion: `after ${last.resourceVersion}` };
      this.#note({ type: 'DELETED', object: { ...last.object, metadata } });
    }
    for (const object of byVersion) this.#note({ type: 'MODIFIED', object });
  }

  #note(event: Json): void {
    const { type, object } = isJsonObject(event) ? (event as unknown as ResponseBody) : {};
    if (type === 'BOOKMARK') return;
    const { kind, metadata } = object;
    const name = `${kind} ${metadata.name}`;
    const known = this.#states.get(name) ?? [];
    const { uid, resourceVersion } = metadata;
    if (known.at(-1)?.resourceVersion === resourceVersion) return;
    const by = this.#author ?? 'server';
    known.push({ uid, resourceVersion, object: type === 'DELETED' ? undefined : object, at: this.#world.now, by, line: this.lines.length });
    this.#states.set(name, known);
    if (!this.#hasBegun) return;
    const author = typeof by === 'string' ? by : by.of.name;
    this.tell(author, type === 'DELETED' ? `deleted ${name}` : `wrote ${name} as ${resourceVersion}: ${contentText(object)}`);
  }
}

/** The items of a list, each with its kind. */
function itemsOf({ kind, items }: ResponseBody): readonly ResponseBody[] {
  return items.map((item: ResponseBody) => ({ kind: kind.replace(/List$/, ''), ...item }));
}

function contentText({ data, spec }: ResponseBody): string {
  return JSON.stringify(spec ?? data ?? {});
}
