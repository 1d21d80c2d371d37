import { metadataOf } from '../../../../fields/object.js';
import { groupOf } from '../../../../util/api-version.js';
import { isJsonObject, type JsonObject } from '../../../../util/json.js';
import type { KindScope, Observer } from './observer.js';

/**
 * Returns the observer that a ResourceQuota is: it counts the objects of some kinds in its namespace, and may measure some others.
 * Source: Kubernetes documentation, "Resource Quotas", "Object count quota".
 */
export function quotaObserver(quota: JsonObject): Observer {
  const { namespace, name = '' } = metadataOf(quota);
  const { hard } = isJsonObject(quota.spec) ? quota.spec : {};
  const limits = Object.keys(isJsonObject(hard) ? hard : {});
  return {
    source: `ResourceQuota ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    observes: (place) => (namespace ?? place.namespace) === place.namespace && limits.some((limit) => mayLimit(limit, place)),
    limitsNames: false,
    namespaceSelectors: [],
    objectSelectors: [],
  };
}

/**
 * Returns the observer that a LimitRange is: an update of what it may limit is refused if the object is beyond the limits, also if they are newer.
 * Source: Kubernetes documentation, "Limit Ranges"; observed.
 */
export function limitRangeObserver(range: JsonObject): Observer {
  const { namespace = '', name = '' } = metadataOf(range);
  return {
    source: `LimitRange ${namespace}/${name}`,
    observes: (place) => place.namespace === namespace && hasLimitRanges(place.resource),
    limitsNames: false,
    namespaceSelectors: [],
    objectSelectors: [],
  };
}

/** Returns true for the kinds that a LimitRange may limit. */
export function hasLimitRanges({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return apiVersion === 'v1' && (kind === 'Pod' || kind === 'PersistentVolumeClaim');
}

/** Returns false if a limit certainly does not concern a kind. */
function mayLimit(limit: string, { resource: { apiVersion, plural } }: KindScope): boolean {
  const group = groupOf(apiVersion);
  const name = group === '' ? plural : `${plural}.${group}`;
  if (limit.startsWith('count/')) return limit === `count/${name}`;
  return countedByName.has(limit) ? limit === name : measured.has(name);
}

/** Limits that count one kind of objects, by its resource. */
const countedByName: ReadonlySet<string> = new Set([
  ...['configmaps', 'persistentvolumeclaims', 'pods', 'replicationcontrollers', 'resourcequotas', 'secrets', 'services'],
]);

/** Resources of whose objects a quota measures more than the number; every limit that is not known otherwise may concern them. */
const measured: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'pods', 'resourceclaims.resource.k8s.io', 'services']);
