import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { ApiClient, ResponseBody } from '../harness/api-client.js';
import { poll } from '../harness/poll.js';
import { maps } from './writer.js';

/** A client that watches all objects, as an informer does: it goes on from the last version that it knows, also on another server. */
export class Observer {
  /** The version of each object, as the events say. */
  #versions = new Map<string, number>();
  /** The version of the last event of each object that was deleted. */
  readonly #deleted = new Map<string, number>();
  #last = 0;
  #stop = () => {};
  /** How often a server no longer had the version (410). */
  expired = 0;
  readonly problems: string[] = [];

  get last(): number {
    return this.#last;
  }

  async watch(client: ApiClient): Promise<void> {
    if (this.#last === 0) await this.#list(client);
    for (;;) {
      const { status, stop } = await this.#follow(client);
      this.#stop = stop;
      if (status !== 410) return;
      this.expired += 1;
      await this.#list(client);
    }
  }

  stop(): void {
    this.#stop();
  }

  /** Says what of the events is not on a server that was started again. */
  check(versions: ReadonlyMap<string, number>): string[] {
    const lost = [...this.#versions].flatMap(([name, version]) => {
      const is = versions.get(name);
      return is !== undefined && is < version ? [`${name}: a watch saw version ${version}, it has ${is}`] : [];
    });
    const back = [...this.#deleted].flatMap(([name, version]) => {
      const is = versions.get(name);
      return is !== undefined && is <= version ? [`${name}: a watch saw its deletion at ${version}, it has version ${is}`] : [];
    });
    return [...this.problems.splice(0), ...lost, ...back];
  }

  /** Waits until the events have led to the objects that a server has. */
  async caughtUp(versions: ReadonlyMap<string, number>): Promise<string[]> {
    const difference = () =>
      [...new Set([...versions.keys(), ...this.#versions.keys()])].filter((name) => versions.get(name) !== this.#versions.get(name));
    try {
      await poll('the watch has caught up', () => difference().length === 0, 10);
      return [];
    } catch {
      return difference().map((name) => `${name}: the watch has version ${this.#versions.get(name)}, the server ${versions.get(name)}`);
    }
  }

  async #list(client: ApiClient): Promise<void> {
    const { metadata, items } = await client.call('GET', maps);
    this.#versions = new Map(items.map(({ metadata: { name, resourceVersion } }: ResponseBody) => [name, Number(resourceVersion)]));
    this.#last = Number(metadata.resourceVersion);
  }

  #follow({ connection }: ApiClient): Promise<{ readonly status: number; readonly stop: () => void }> {
    const url = new URL(`${connection.server}${maps}?watch=1&resourceVersion=${this.#last}`);
    const exchange = request(url, { ca: connection.ca, headers: { authorization: `Bearer ${connection.token}` }, agent: false });
    return new Promise((resolve, reject) => {
      exchange.on('error', reject);
      exchange.on('response', (response) => {
        response.on('error', () => {});
        const lines = createInterface({ input: response });
        lines.on('error', () => {});
        // A line that the end of the server has cut off is none.
        lines.on('line', (line) => line.endsWith('}') && this.#take(line));
        resolve({ status: response.statusCode ?? 0, stop: () => exchange.destroy() });
      });
      exchange.end();
    });
  }

  #take(line: string): void {
    let event: ResponseBody;
    try {
      event = JSON.parse(line);
    } catch {
      return;
    }
    const { name, resourceVersion } = event.object.metadata;
    if (name === undefined) return;
    const version = Number(resourceVersion);
    if (version <= this.#last) this.problems.push(`an event of version ${version} came after version ${this.#last}`);
    this.#last = version;
    if (event.type === 'DELETED') {
      this.#versions.delete(name);
      this.#deleted.set(name, version);
    } else this.#versions.set(name, version);
  }
}
