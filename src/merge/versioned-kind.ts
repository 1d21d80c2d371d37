import type { FieldSet } from '../fields/index.js';
import type { RootType, Schema, TypeRef } from '../schema/index.js';
import { hasBrand } from '../util/has-brand.js';
import type { JsonObject } from '../util/json.js';
import { withTypeCache } from './type-cache.js';

/** A kind in all served versions, with their conversion. */
export interface VersionedKind {
  /** By apiVersion, such as `apps/v1`. */
  readonly versions: ReadonlyMap<string, RootType>;
  /**
   * Converts an object to a served version. If absent, only `apiVersion` changes (CustomResourceDefinitions with the conversion strategy
   * `None`).
   *
   * @returns undefined if the version was removed: its owners are dropped silently.
   * @throws ConversionError if the server would fail instead.
   */
  readonly convert?: (object: JsonObject, apiVersion: string) => JsonObject | undefined;
  /** Owners' sets that are known to match a type of this kind. */
  readonly matchedTypes?: WeakMap<FieldSet, TypeRef>;
}

/** Returns a kind of one version, or of several that differ only in their schema. */
export function versionedKind(...roots: readonly RootType[]): VersionedKind {
  // Versions that share a schema share one cache.
  const schemas = new Map(roots.map(({ schema }) => [schema, withTypeCache(schema)]));
  const versions = new Map(roots.map((root) => [root.apiVersion, { ...root, schema: schemas.get(root.schema) as Schema }]));
  return { versions, matchedTypes: new WeakMap() };
}

/** Returns a custom kind without conversion. The server rejects versions that the CustomResourceDefinition lacks. */
export function customKind(...roots: readonly RootType[]): VersionedKind {
  return convertedKind(roots, (object, apiVersion) => ({ ...object, apiVersion }));
}

/** Returns a custom kind with a conversion between the versions that its CustomResourceDefinition has. */
export function convertedKind(roots: readonly RootType[], convertKnown: NonNullable<VersionedKind['convert']>): VersionedKind {
  const kind = versionedKind(...roots);
  const convert = (object: JsonObject, apiVersion: string): JsonObject | undefined => {
    if (kind.versions.has(apiVersion)) return convertKnown(object, apiVersion);
    throw new ConversionError(`request to convert CR to an invalid group/version: ${apiVersion}`);
  };
  return { ...kind, convert };
}

/** A registered symbol, so that two installed copies of Fieldwise share it. */
const conversionErrorBrand: unique symbol = Symbol.for('fieldwise.conversion-error') as never;

/** A conversion that the server answers with an error; the message is the server's. */
export class ConversionError extends Error {
  /** Recognizes errors by their brand, so that an error of another copy of Fieldwise is an instance too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, conversionErrorBrand);
  }

  readonly [conversionErrorBrand] = true;
  override readonly name = 'ConversionError';
}

/** An object in one version of its kind. */
export interface Versioned {
  readonly schema: Schema;
  readonly type: TypeRef;
  readonly apiVersion: string;
  readonly value: JsonObject;
}

/**
 * Returns an object in a version.
 *
 * @returns undefined if the version was removed.
 */
export function inVersion(kind: VersionedKind, object: JsonObject, apiVersion: string): Versioned | undefined {
  const root = kind.versions.get(apiVersion);
  if (root === undefined) {
    // The callback throws unless the version is known to be removed.
    if (kind.convert !== undefined) kind.convert(object, apiVersion);
    return undefined;
  }
  const value = convert(kind, object, apiVersion);
  return value === undefined ? undefined : { schema: root.schema, type: root.type, apiVersion, value };
}

function convert(kind: VersionedKind, object: JsonObject, apiVersion: string): JsonObject | undefined {
  if (object.apiVersion === apiVersion) return object;
  return kind.convert === undefined ? { ...object, apiVersion } : kind.convert(object, apiVersion);
}
