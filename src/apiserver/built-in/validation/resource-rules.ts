import type { Json, JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { rememberingValid } from '../../api/remembering-valid.js';
import { billionths } from '../convert/compare-quantities.js';

/** Resources that Kubernetes names itself, as the server knows them. */
const standard =
  /^(?:cpu|memory|ephemeral-storage|storage|requests\.(?:cpu|memory|storage|ephemeral-storage)|limits\.(?:cpu|memory|ephemeral-storage)|pods|services|replicationcontrollers|resourcequotas|secrets|configmaps|persistentvolumeclaims|services\.(?:nodeports|loadbalancers))$/;
const ofContainers = /^(?:cpu|memory|ephemeral-storage|hugepages-.+)$/;
const ofPods = /^(?:cpu|memory|hugepages-.+)$/;
const limitText = 'Limit must be set for non overcommitable resources';

/**
 * Validates the resources of a container, or of a Pod as a whole.
 * Source: Kubernetes documentation "Resource Management for Pods and Containers"; messages as observed.
 *
 * @param claims the names of the claims of the Pod; undefined for the resources of a Pod as a whole
 */
export function resourceErrors(resources: JsonObject, at: string, claims: readonly Json[] | undefined): readonly FieldError[] {
  const isOwn = claims !== undefined && resources.claims === undefined;
  return isOwn ? ownResourceErrors(resources, at) : foundInResources(resources, at, claims);
}

/** Validates resources of a container without claims. */
const ownResourceErrors = rememberingValid((resources: JsonObject, at) => foundInResources(resources, at, []));

function foundInResources(resources: JsonObject, at: string, claims: readonly Json[] | undefined): readonly FieldError[] {
  const limits = structOf(resources.limits);
  const requests = structOf(resources.requests);
  const isPod = claims === undefined;
  const all = [...Object.keys(limits), ...Object.keys(requests)];
  const hasHugePages = all.some((name) => name.startsWith('hugepages-'));
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => amountErrors(name, amount as Json, `${at}.limits[${name}]`, isPod)),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...amountErrors(name, amount as Json, `${at}.requests[${name}]`, isPod),
      ...requestErrors(name, amount as Json, limits[name], at),
    ]),
    ...(hasHugePages && !all.some((name) => name === 'cpu' || name === 'memory')
      ? [forbiddenField(at, 'HugePages require cpu or memory')]
      : []),
    ...claimErrors(resources, at, claims ?? []),
  ];
}

function amountErrors(name: string, amount: Json, field: string, isPod: boolean): readonly FieldError[] {
  const isNegative = billionths(amount) < 0n;
  const isWhole = !name.includes('/') || billionths(amount) % 10n ** 9n === 0n;
  return [
    ...nameErrors(name, field, isPod),
    ...(isNegative ? [invalidValue(field, String(amount), 'must be greater than or equal to 0')] : []),
    ...(isWhole || isNegative ? [] : [invalidValue(field, String(amount), 'must be an integer')]),
  ];
}

function nameErrors(name: string, field: string, isPod: boolean): readonly FieldError[] {
  if (isPod) return ofPods.test(name) ? [] : [unsupported(field, name, ['cpu', 'hugepages-', 'memory'])];
  const words = qualifiedNameErrors(name).map((text) => invalidValue(field, name, text));
  if (words.length > 0)
    return name.includes('/') ? [...words, invalidValue(field, name, "doesn't follow extended resource name standard")] : words;
  if (name.includes('/') || ofContainers.test(name)) return [];
  const own = invalidValue(field, name, 'must be a standard resource for containers');
  return standard.test(name) ? [own] : [invalidValue(field, name, 'must be a standard resource type or fully qualified'), own];
}

const ofQuota =
  /^(?:cpu|memory|ephemeral-storage|requests\.(?:cpu|memory|storage|ephemeral-storage)|limits\.(?:cpu|memory|ephemeral-storage)|pods|services|replicationcontrollers|resourcequotas|secrets|configmaps|persistentvolumeclaims|services\.(?:nodeports|loadbalancers)|(?:requests\.)?hugepages-.+)$/;

/** Validates a resource that Kubernetes or an extension names. */
export function standardNameErrors(name: string, field: string): readonly FieldError[] {
  const words = qualifiedNameErrors(name).map((text) => invalidValue(field, name, text));
  const isKnown = words.length > 0 || name.includes('/') || standard.test(name) || /^(?:requests\.)?hugepages-.+$/.test(name);
  return isKnown ? words : [invalidValue(field, name, 'must be a standard resource type or fully qualified')];
}

/** Validates a resource that a container may limit. */
export function containerNameErrors(name: string, field: string): readonly FieldError[] {
  const isOfContainers = name.includes('/') || ofContainers.test(name);
  const own = isOfContainers ? [] : [invalidValue(field, name, 'must be a standard resource for containers')];
  return [...standardNameErrors(name, field), ...own];
}

/** Validates a resource that a quota may limit. */
export function quotaNameErrors(name: string, field: string): readonly FieldError[] {
  const isOfQuota = name.includes('/') || ofQuota.test(name);
  return [...standardNameErrors(name, field), ...(isOfQuota ? [] : [invalidValue(field, name, 'must be a standard resource for quota')])];
}

function requestErrors(name: string, amount: Json, limit: Json | undefined, at: string): readonly FieldError[] {
  const isOvercommitable = !name.includes('/') && !name.startsWith('hugepages-');
  if (limit === undefined) return isOvercommitable ? [] : [required(`${at}.limits`, limitText)];
  const detail = (relation: string) => `must be ${relation} ${name} limit of ${String(limit)}`;
  const difference = billionths(amount) - billionths(limit);
  if (difference > 0n && isOvercommitable) return [invalidValue(`${at}.requests`, String(amount), detail('less than or equal to'))];
  if (difference !== 0n && !isOvercommitable) return [invalidValue(`${at}.requests`, String(amount), detail('equal to'))];
  return [];
}

function claimErrors(resources: JsonObject, at: string, claims: readonly Json[]): readonly FieldError[] {
  return listOf(resources.claims).flatMap(({ name }, index): readonly FieldError[] => {
    if (claims.includes(name as Json)) return [];
    const detail =
      claims.length === 0
        ? 'must be one of the names in pod.spec.resourceClaims which is empty'
        : 'must be one of the names in pod.spec.resourceClaims';
    return [{ type: 'notFound', field: `${at}.claims[${index}]`, value: JSON.stringify(name ?? ''), detail }];
  });
}
