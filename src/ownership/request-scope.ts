import type { FieldSet } from '../fields/index.js';
import { metadataOf } from '../kubernetes/object.js';
import type { PrunedContainers, VersionedKind } from '../merge/index.js';
import type { RootType } from '../schema/index.js';
import type { JsonObject } from '../util/json.js';
import type { OwnershipCache } from './cache.js';

/** What every request to an object has in common. */
export interface RequestScope {
  readonly kind: VersionedKind;
  /** The version in which the request speaks, such as `apps/v1`; `live` and the request's object are in it. */
  readonly apiVersion: string;
  /** `status`, `scale` or another; absent for the object itself. */
  readonly subresource?: string;
  readonly manager: string;
  /** The time of the request: RFC 3339, whole seconds, such as `2026-01-31T12:00:00Z`. */
  readonly now: string;
  /**
   * By apiVersion: fields that this resource cannot set, such as `status` on a main resource that has a status subresource. Nobody
   * comes to own them by the request, and they conflict with no owner of that version. For a custom resource the map has the version
   * of the request only, so an owner who speaks another version does conflict, except that a subresource ignores the same fields in all
   * versions.
   */
  readonly ignored?: ReadonlyMap<string, FieldSet> | undefined;
  /**
   * The object that stands for an absent one. Default: nothing but apiVersion and kind, which is right for custom resources. For a
   * built-in kind: the structs that Go never leaves out, such as `{ spec: { strategy: {}, template: { … } }, status: {} }`.
   */
  readonly zeroValue?: JsonObject;
  /**
   * Why the server fails to read an applied object of this resource back. The scale subresource of custom resources has
   * such a fault: `request to convert CR to an invalid group/version: autoscaling/v1`. Only an apply that changes nothing succeeds.
   */
  readonly unreadable?: string;
  /** What becomes of a container whose last member an apply takes away; it differs between servers. Default: `empty`. */
  readonly prunedContainers?: PrunedContainers;
  readonly cache?: OwnershipCache;
}

/**
 * The type in which a request speaks.
 *
 * @throws Error where the kind has no such version: a fault of the caller.
 */
export function rootOf(scope: RequestScope): RootType {
  const root = scope.kind.versions.get(scope.apiVersion);
  if (root === undefined) throw new Error(`The kind has no schema for ${scope.apiVersion}.`);
  return root;
}

/** The object that stands for an absent one. */
export function zeroValueOf(scope: RequestScope): JsonObject {
  return scope.zeroValue ?? { apiVersion: scope.apiVersion, kind: rootOf(scope).kind };
}

/** An object as error messages name it: `(ns/name; apps/v1, Kind=Deployment)`. */
export function typedObjectText(object: JsonObject): string {
  const metadata = metadataOf(object);
  const version = String(object.apiVersion ?? '');
  return `(${String(metadata.namespace ?? '')}/${String(metadata.name ?? '')}; ${version.includes('/') ? version : `/${version}`}, Kind=${String(object.kind ?? '')})`;
}
