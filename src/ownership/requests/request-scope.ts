import type { FieldSet } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import type { PrunedContainers, VersionedKind } from '../../merge/index.js';
import type { RootType } from '../../schema/index.js';
import type { JsonObject } from '../../util/json.js';
import type { OwnershipCache } from './cache.js';

/** The common input of every request to an object. */
export interface RequestScope {
  readonly kind: VersionedKind;
  /** The apiVersion of the request, such as `apps/v1`, and of `live` and the request's object. */
  readonly apiVersion: string;
  /** `status`, `scale` or another; absent for the object itself. */
  readonly subresource?: string;
  readonly manager: string;
  /** The time of the request: RFC 3339, whole seconds, such as `2026-01-31T12:00:00Z`. */
  readonly now: string;
  /**
   * Fields that this resource cannot set, by apiVersion, such as `status` on a main resource with a status subresource. The request does
   * not acquire them, and they conflict with no owner of that version. For a custom resource the map has only the version of the request,
   * so an owner that uses another version does conflict, except that a subresource ignores the same fields in all versions.
   */
  readonly ignored?: ReadonlyMap<string, FieldSet> | undefined;
  /**
   * The object that represents an absent one. For a built-in kind: the structs that Go never omits, such as `{ spec: { strategy: {},
   * template: { … } }, status: {} }`.
   *
   * @default an object of apiVersion and kind only, which is right for custom resources
   */
  readonly zeroValue?: JsonObject;
  /**
   * The reason why the server cannot read an applied object of this resource back. The scale subresource of custom resources has such a
   * defect: `request to convert CR to an invalid group/version: autoscaling/v1`. Only an apply that changes nothing succeeds.
   */
  readonly unreadable?: string;
  /**
   * The treatment of a container whose last member an apply removes; it differs between servers.
   * @default 'keep-empty'
   */
  readonly prunedContainers?: PrunedContainers;
  readonly cache?: OwnershipCache;
}

/**
 * Returns the type of a request's objects.
 *
 * @throws Error if the kind lacks the version: a bug in the caller.
 */
export function rootOf(scope: RequestScope): RootType {
  const root = scope.kind.versions.get(scope.apiVersion);
  if (root === undefined) throw new Error(`The kind has no schema for ${scope.apiVersion}.`);
  return root;
}

/** Returns the object that represents an absent one. */
export function zeroValueOf(scope: RequestScope): JsonObject {
  return scope.zeroValue ?? { apiVersion: scope.apiVersion, kind: rootOf(scope).kind };
}

/** Returns an object as error messages name it: `(ns/name; apps/v1, Kind=Deployment)`. */
export function typedObjectText(object: JsonObject): string {
  const metadata = metadataOf(object);
  const version = String(object.apiVersion ?? '');
  return `(${String(metadata.namespace ?? '')}/${String(metadata.name ?? '')}; ${version.includes('/') ? version : `/${version}`}, Kind=${String(object.kind ?? '')})`;
}
