import { metadataOf, nameOf } from '../../../../fields/object.js';
import type { Resource } from '../../../../kubernetes/index.js';
import type { Json, JsonObject } from '../../../../util/json.js';
import { matchesAll, mayMatchLabels } from '../../../../util/label-selector.js';

/** A kind, in a namespace if its objects are namespaced. */
export interface KindScope {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** The write. @default UPDATE */
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE';
}

/** A webhook, policy or quota that is asked about writes, also about those that change nothing. */
export interface Observer {
  /** Its kind and name, as `ValidatingWebhookConfiguration policy`. */
  readonly source: string;
  /** Returns false if it certainly ignores such writes of a kind, or of the object with a name. */
  readonly observes: (place: KindScope, name?: string) => boolean;
  /** True if it may look at the names of objects. */
  readonly limitsNames: boolean;
  /** Selectors that the labels of the namespace must match, all of them. */
  readonly namespaceSelectors: readonly Json[];
  /** Selectors that the labels of the object must match, all of them. */
  readonly objectSelectors: readonly Json[];
}

/** Returns true if neither names nor labels of objects matter to an observer of a kind. */
export function observesEveryObject(observer: Observer, { resource }: KindScope): boolean {
  return !observer.limitsNames && selectorsOfObjects(observer, resource).every(matchesAll);
}

/** Returns false if an observer certainly does not look at an object. */
export function mayObserveObject(observer: Observer, place: KindScope, live: JsonObject): boolean {
  const { labels = {} } = metadataOf(live);
  return observer.observes(place, nameOf(live)) && selectorsOfObjects(observer, place.resource).every((one) => mayMatchLabels(one, labels));
}

function selectorsOfObjects({ objectSelectors, namespaceSelectors }: Observer, resource: Resource): readonly Json[] {
  return hasLabelsOfNamespace(resource) ? [...objectSelectors, ...namespaceSelectors] : objectSelectors;
}

/**
 * Returns true for kinds whose own labels count for selectors of namespaces: Namespace, and each other kind with its plural (observed on
 * 1.36). Source: Kubernetes documentation, "Dynamic Admission Control", "Matching requests: namespaceSelector".
 */
export function hasLabelsOfNamespace({ plural }: Pick<Resource, 'plural'>): boolean {
  return plural === 'namespaces';
}
