import { type FieldSet, recursiveDifference } from '../fields/index.js';
import type { JsonObject } from '../util/json.js';
import { formatValidationErrors, validate } from './values/validate.js';
import { ConversionError, inVersion, type Versioned, type VersionedKind } from './versioned-kind.js';

/** The versions of an object that one request needs, each converted once. */
export class Converted {
  readonly #kind: VersionedKind;
  readonly #object: JsonObject;
  readonly #known = new Map<string, Versioned | undefined>();

  constructor(kind: VersionedKind, object: JsonObject) {
    this.#kind = kind;
    this.#object = object;
  }

  /**
   * Returns the object in a version; undefined if the version was removed.
   *
   * @throws ConversionError if the object does not fit the version.
   */
  at(apiVersion: string): Versioned | undefined {
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, this.#converted(apiVersion));
    return this.#known.get(apiVersion);
  }

  // An item may occur twice in the version of the request, but not after a conversion. Source: observed.
  #converted(apiVersion: string): Versioned | undefined {
    const at = inVersion(this.#kind, this.#object, apiVersion);
    if (at === undefined || this.#object.apiVersion === apiVersion) return at;
    const errors = validate(at.schema, at.type, at.value);
    if (errors.length > 0) throw new ConversionError(formatValidationErrors(errors));
    return at;
  }
}

/** Returns a set without the fields at or below the members of `ignored`. */
export function filtered(set: FieldSet, ignored: FieldSet | undefined): FieldSet {
  return ignored === undefined ? set : recursiveDifference(set, ignored);
}
