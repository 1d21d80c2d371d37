import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';

const madeUp = /^00000000-0000-4000-8000-/;
const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const timePattern = /20(?:2[4-9]|3\d)-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
// Of a generateName, with the random end of a server.
const madeName = /\b(made)-[a-z0-9]{5}\b/g;
const versionInText =
  /(resourceVersion\\*":\\*"|ResourceVersion in (?:precondition|object meta): |ResourceVersion in the precondition \(|ResourceVersion in record \(|resourceVersion: ?)(\d+)/g;

/** Gives what differs from server to server the tokens of the vector format, by the order in which one scenario meets it. */
export class Tokenizer {
  readonly #tokens = new Map<string, string>();
  readonly #counts = { uid: 0, rv: 0 };
  #step = 0;

  /** @param step the step, from 1, whose answers come next: new times are its. */
  at(step: number): void {
    this.#step = step;
  }

  tokenize<T extends Json | undefined>(value: T): T {
    return this.#walk(value, '') as T;
  }

  #walk(value: Json | undefined, name: string): Json | undefined {
    if (typeof value === 'string') return name === 'resourceVersion' ? this.#version(value) : this.#text(value, timesOf(name));
    if (Array.isArray(value)) return value.map((item) => this.#walk(item as Json, '') as Json);
    if (!isJsonObject(value)) return value;
    const walked: Record<string, Json | undefined> = {};
    // Sorted, so that the order of members does not matter.
    for (const key of Object.keys(value).toSorted()) walked[key] = this.#walk(value[key], key);
    return walked as JsonObject;
  }

  #text(text: string, times: string): string {
    return text
      .replace(madeName, '$1-<made>')
      .replace(uidPattern, (uid) => (madeUp.test(uid) ? uid : this.#token(`uid ${uid}`, () => `uid:${++this.#counts.uid}`)))
      .replace(timePattern, (time) => this.#token(`${times}${time}`, () => `@${this.#step}`))
      .replace(versionInText, (_, before: string, version: string) => `${before}${this.#version(version)}`);
  }

  #version(version: string): string {
    if (!/^\d+$/.test(version) || version === '1' || version === '0') return version;
    return this.#token(`rv ${version}`, () => `rv:${++this.#counts.rv}`);
  }

  #token(key: string, make: () => string): string {
    const known = this.#tokens.get(key);
    if (known !== undefined) return known;
    const token = make();
    this.#tokens.set(key, token);
    return token;
  }
}

/** The end of a time of grace lies in the future, where a later step may write: it is another time, though it be the same second. */
function timesOf(member: string): string {
  return member === 'deletionTimestamp' ? 'deletion ' : '';
}
