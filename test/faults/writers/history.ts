import { type ClientRequest, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import type { ApiClient, ResponseBody } from '../../harness/api-client.js';

/** One state of one object, as a watch reported it; `undefined` if the object was deleted. */
export interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly object: ResponseBody | undefined;
  /** States before this one may be missing: the server could not tell of them any more. */
  readonly gap: boolean;
}

/** Every state that the objects of a namespace went through, in order, by `Kind name`. */
export class History {
  readonly #versions = new Map<string, Version[]>();
  readonly #streams = new Set<ClientRequest>();
  #stopped = false;

  /** Follows the collections at `paths`, such as `/api/v1/namespaces/shop/configmaps`, from now on. */
  static async follow(client: ApiClient, collections: ReadonlyMap<string, string>): Promise<History> {
    const history = new History();
    for (const [kind, path] of collections) await history.#follow(client, kind, path);
    return history;
  }

  /** The states of an object, oldest first. */
  of(name: string): readonly Version[] {
    return this.#versions.get(name) ?? [];
  }

  get names(): readonly string[] {
    return [...this.#versions.keys()];
  }

  /** Resolves when the watch has reported that state of an object. */
  async until(name: string, resourceVersion: string): Promise<void> {
    const deadline = Date.now() + 30_000;
    while (!this.of(name).some((version) => version.resourceVersion === resourceVersion)) {
      if (Date.now() > deadline) throw new Error(`no watch reported ${name} at resourceVersion ${resourceVersion}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const exchange of this.#streams) exchange.destroy();
  }

  async #follow(client: ApiClient, kind: string, path: string): Promise<void> {
    const list = await client.call('GET', path);
    for (const object of list.items) this.#note(kind, 'ADDED', object, true);
    await this.#watch(client, kind, path, list.metadata.resourceVersion);
  }

  /** A server ends the watches of a custom kind when its definition changes; they go on from the last state. */
  async #watch(client: ApiClient, kind: string, path: string, from: string): Promise<void> {
    let last = from;
    const { connection } = client;
    const query = new URLSearchParams({ watch: '1', resourceVersion: from, timeoutSeconds: '7200' });
    const url = new URL(`${connection.server.replace(/\/$/, '')}${path}?${query}`);
    const headers = connection.token ? { authorization: `Bearer ${connection.token}` } : {};
    const tls = { ...(connection.ca ? { ca: connection.ca } : {}), cert: connection.certificate, key: connection.key };
    const exchange = url.protocol === 'https:' ? tlsRequest(url, { headers, ...tls }) : plainRequest(url, { headers });
    this.#streams.add(exchange);
    let ended = false;
    let expired = false;
    const again = () => {
      if (ended) return;
      ended = true;
      this.#streams.delete(exchange);
      if (this.#stopped) return;
      setTimeout(() => void (expired ? this.#follow(client, kind, path) : this.#watch(client, kind, path, last)), 20);
    };
    exchange.on('error', again);
    await new Promise<void>((resolve) => {
      exchange.on('response', (response) => {
        const lines = createInterface({ input: response }).on('line', (line) => {
          const { type, object } = JSON.parse(line);
          if (type === 'ERROR') {
            if (object.code !== 410) throw new Error(`a watch of ${kind} ended: ${line}`);
            expired = true; // the server forgets what was before a definition changed
            return;
          }
          last = object.metadata.resourceVersion;
          this.#note(kind, type, object, false);
        });
        lines.on('close', again);
        for (const stream of [response, lines]) stream.on('error', again);
        resolve();
      });
      exchange.on('close', resolve);
      exchange.end();
    });
  }

  #note(kind: string, type: string, object: ResponseBody, gap: boolean): void {
    const { name, uid, resourceVersion } = object.metadata;
    const known = this.#versions.get(`${kind} ${name}`) ?? [];
    if (known.at(-1)?.resourceVersion === resourceVersion && type !== 'DELETED') return;
    known.push({ uid, resourceVersion, object: type === 'DELETED' ? undefined : object, gap });
    this.#versions.set(`${kind} ${name}`, known);
  }
}
