import { type FieldSet, recursiveDifference } from '../fields/index.js';
import type { JsonObject } from '../util/json.js';
import { inVersion, type Kind, type Versioned } from './kind.js';

/** The versions of an object that one request needs, each converted once. */
export class Converted {
  readonly #kind: Kind;
  readonly #object: JsonObject;
  readonly #known = new Map<string, Versioned | undefined>();

  constructor(kind: Kind, object: JsonObject) {
    this.#kind = kind;
    this.#object = object;
  }

  /** @returns undefined where the version is gone. */
  at(apiVersion: string): Versioned | undefined {
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, inVersion(this.#kind, this.#object, apiVersion));
    return this.#known.get(apiVersion);
  }
}

/** A set without what stands at or below the members of `ignored`. */
export function filtered(set: FieldSet, ignored: FieldSet | undefined): FieldSet {
  return ignored === undefined ? set : recursiveDifference(set, ignored);
}
