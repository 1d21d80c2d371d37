import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { GeneratedRoot } from './generated-crd.js';

/** A document, or a part of one, and the root that it is written through. */
export interface Part {
  readonly root: GeneratedRoot;
  readonly value: JsonObject;
}

/**
 * A document as the declarations that an author would write for it; undefined where its kind has no root.
 *
 * - Where `status` is a subresource, a file that carries one is two declarations: the server drops the status of the first.
 * - The server reads `metadata` into a type of its own, to which null means absence.
 * - Apply addresses an object by its name, so that one with `generateName` alone gets a name.
 */
export function partsOf(value: JsonObject, roots: readonly GeneratedRoot[]): readonly Part[] | undefined {
  const own = roots.filter(({ root }) => root.apiVersion === value.apiVersion && root.kind === value.kind);
  const main = own.find(({ root }) => root.subresource === undefined);
  if (main === undefined) return undefined;
  const whole = isJsonObject(value.metadata) ? { ...value, metadata: named(withoutNulls(value.metadata)) } : value;
  const statusRoot = own.find(({ root }) => root.subresource === 'status');
  if (value.status === undefined || statusRoot === undefined) return [{ root: main, value: whole }];
  const { status, ...rest } = whole as Record<string, Json>;
  const { apiVersion, kind, metadata } = whole;
  return [
    { root: main, value: rest },
    { root: statusRoot, value: { apiVersion, kind, metadata, status } },
  ];
}

function named(metadata: JsonObject): JsonObject {
  return metadata.name === undefined && typeof metadata.generateName === 'string'
    ? { name: `${metadata.generateName}x`, ...metadata }
    : metadata;
}

function withoutNulls(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, member]) => member !== null));
}
