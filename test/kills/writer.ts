import { createHash } from 'node:crypto';
import type { Random } from '../corpus/random.js';
import { ApiCallError, type ApiClient, type ResponseBody } from '../harness/api-client.js';

export const maps = '/api/v1/namespaces/default/configmaps';

/** A version of an object, or none. */
export type State = { readonly version: number; readonly sum: string } | 'absent';

/** What a request does to objects if it is carried out: all of it, or nothing. */
type Outcome = ReadonlyMap<string, string | 'absent'>;

/** A client that writes objects of its own, one request after another, and knows what was acknowledged. */
export class Writer {
  readonly #name: string;
  readonly #random: Random;
  readonly #acknowledged = new Map<string, State>();
  /** The request whose answer has not come. */
  #open: Outcome | undefined;
  acknowledgements = 0;
  /** The highest version that an answer had. */
  highest = 0;

  constructor(name: string, random: Random) {
    this.#name = name;
    this.#random = random;
  }

  /** Writes until the server ends. @throws if an answer is not what a server without faults gives. */
  async write(client: ApiClient): Promise<void> {
    for (;;) {
      try {
        await (this.#random.chance(0.1) ? this.#cascade(client) : this.#change(client));
      } catch (error) {
        if (error instanceof ApiCallError) throw error;
        return;
      }
    }
  }

  /** Compares with the objects of a server that was started again, and takes what it has as acknowledged. */
  problems(objects: ReadonlyMap<string, State>): string[] {
    const found: string[] = [];
    const open = this.#open ?? new Map();
    const carriedOut = [...open].filter(([name, sum]) => sumOf(objects.get(name)) === sum && !this.#isAcknowledged(name, objects));
    if (carriedOut.length > 0) {
      const undone = [...open].filter(([name, sum]) => sumOf(objects.get(name)) !== sum).map(([name]) => name);
      if (undone.length > 0) found.push(`a request was carried out in part: not for ${undone.join(', ')}`);
    }
    for (const name of this.#acknowledged.keys()) {
      if (this.#isAcknowledged(name, objects) || (open.has(name) && carriedOut.some(([each]) => each === name))) continue;
      const is = JSON.stringify(objects.get(name) ?? 'absent');
      found.push(`${name}: acknowledged ${JSON.stringify(this.#acknowledged.get(name))}, open ${open.get(name) ?? 'nothing'}, is ${is}`);
    }
    for (const [name] of open) this.#acknowledged.set(name, objects.get(name) ?? 'absent');
    this.#open = undefined;
    return found;
  }

  #isAcknowledged(name: string, objects: ReadonlyMap<string, State>): boolean {
    const state = this.#acknowledged.get(name) ?? 'absent';
    const is = objects.get(name) ?? 'absent';
    return state === 'absent' || is === 'absent' ? state === is : state.version === is.version && state.sum === is.sum;
  }

  async #change(client: ApiClient): Promise<void> {
    const name = `${this.#name}-${this.#random.below(25)}`;
    const state = this.#acknowledged.get(name) ?? 'absent';
    if (state !== 'absent' && this.#random.chance(0.2)) return this.#remove(client, [name]);
    const { object, sum } = this.#object(name);
    await this.#request(new Map([[name, sum]]), async () => {
      if (this.#random.chance(0.4)) {
        return client.call('PATCH', `${maps}/${name}`, {
          body: object,
          contentType: 'application/apply-patch+yaml',
          query: { fieldManager: 'kills', force: 'true' },
        });
      }
      if (state === 'absent') return client.call('POST', maps, { body: object });
      const { metadata } = object;
      if (this.#random.chance(0.5))
        return client.call('PUT', `${maps}/${name}`, {
          body: { ...object, metadata: { ...metadata, resourceVersion: String(state.version) } },
        });
      return client.call('PATCH', `${maps}/${name}`, { body: { data: object.data }, contentType: 'application/merge-patch+json' });
    });
  }

  /** An owner with dependents, which go with it in one request. */
  async #cascade(client: ApiClient): Promise<void> {
    const owner = `${this.#name}-owner`;
    const dependents = [1, 2, 3].map((index) => `${owner}-${index}`);
    const left = [owner, ...dependents].filter((name) => (this.#acknowledged.get(name) ?? 'absent') !== 'absent');
    if (left.length > 0 && left[0] !== owner) for (const name of left) await this.#remove(client, [name]);
    else if (left.length > 0) await this.#remove(client, left);
    const made = await this.#create(client, owner, []);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: made.metadata.uid }];
    for (const name of dependents) await this.#create(client, name, ownerReferences);
    await this.#remove(client, [owner, ...dependents]);
  }

  async #create(client: ApiClient, name: string, ownerReferences: readonly object[]): Promise<ResponseBody> {
    const { object, sum } = this.#object(name);
    const body = { ...object, metadata: { ...object.metadata, ownerReferences } };
    return this.#request(new Map([[name, sum]]), () => client.call('POST', maps, { body }));
  }

  /** Deletes the first of the objects, and with it the others. */
  async #remove(client: ApiClient, names: readonly string[]): Promise<void> {
    await this.#request(new Map(names.map((name) => [name, 'absent'])), () => client.call('DELETE', `${maps}/${names[0]}`));
  }

  async #request(outcome: Outcome, send: () => Promise<ResponseBody>): Promise<ResponseBody> {
    this.#open = outcome;
    const answer = await send();
    const version = Number(answer.metadata?.resourceVersion ?? 0);
    for (const [name, sum] of outcome) this.#acknowledged.set(name, sum === 'absent' ? 'absent' : { version, sum });
    this.#open = undefined;
    this.acknowledgements += 1;
    this.highest = Math.max(this.highest, version);
    return answer;
  }

  /** Mostly small, sometimes large: a write of many pages is torn more easily. */
  #object(name: string) {
    const length = this.#random.chance(0.3) ? this.#random.below(60_000) : this.#random.below(500);
    const value = `${this.#random.next()} `.repeat(Math.ceil(length / 20) + 1);
    const sum = digest(value);
    return { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value, sum } }, sum };
  }
}

/** The state of an object of a writer. @throws if it is torn. */
export function stateOf({ metadata, data }: ResponseBody): State {
  if (digest(data.value) !== data.sum) throw new Error(`${metadata.name} is torn`);
  return { version: Number(metadata.resourceVersion), sum: data.sum };
}

function sumOf(state: State | undefined): string {
  return state === undefined || state === 'absent' ? 'absent' : state.sum;
}

function digest(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 16);
}
