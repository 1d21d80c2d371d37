import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';

const uidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const timePattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** Puts tokens in the place of what differs from one recording to the next: uids, versions and times that the server gave. */
export class RecordedResponses {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #times = new Map<string, string>();

  /** Times from `from` to `to`, in milliseconds since 1970, are those of this step; steps count from 1. */
  beginStep(step: number, from: number, to: number): void {
    for (let second = Math.floor(from / 1000); second <= Math.floor(to / 1000); second++)
      this.#times.set(new Date(second * 1000).toISOString().replace('.000Z', 'Z'), `@${step}`);
  }

  /** @param given texts that a request made up, which stay. */
  tokenized(value: Json, given: string): Json {
    if (typeof value === 'string') return this.#text(value, given);
    if (Array.isArray(value)) return value.map((item) => this.tokenized(item as Json, given));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        name === 'metadata' ? this.#metadata(member, given) : this.tokenized(member as Json, given),
      ]),
    );
  }

  #metadata(value: Json | undefined, given: string): Json {
    if (!isJsonObject(value)) return value ?? null;
    const { uid, resourceVersion, ...rest } = value;
    return {
      ...(this.tokenized(rest, given) as JsonObject),
      ...(typeof uid === 'string' ? { uid: uidPattern.test(uid) && !given.includes(uid) ? token(this.#uids, uid, 'uid') : uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion: token(this.#versions, resourceVersion, 'rv') } : {}),
    };
  }

  #text(text: string, given: string): string {
    let result = text.replace(timePattern, (time) => (given.includes(time) ? time : (this.#times.get(time) ?? time)));
    for (const [uid, name] of this.#uids) result = result.replaceAll(uid, name);
    return result.replace(
      /(\\?"resourceVersion\\?":\\?")(\d+)/g,
      (_, before: string, version: string) => before + (this.#versions.get(version) ?? version),
    );
  }
}

function token(known: Map<string, string>, value: string, name: string): string {
  const found = known.get(value) ?? `${name}:${known.size + 1}`;
  known.set(value, found);
  return found;
}
