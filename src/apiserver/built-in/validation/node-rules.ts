import type { Json, JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf, valuesOf } from '../../api/json-access.js';
import type { UpdateContext } from '../../registry/resource.js';
import { addressErrors, canonicalErrors, canonicalRangeErrors, rangeErrors, repeatsFamily } from './address-rules.js';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates a Node: its ranges and the identity at its provider do not change once they are set. Source: Kubernetes API reference, NodeSpec; messages as observed. */
export function nodeErrors({ spec }: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  return update === undefined ? newNodeErrors(structOf(spec)) : nodeChangeErrors(structOf(spec), structOf(update.live.spec));
}

function newNodeErrors({ taints, podCIDR, podCIDRs }: JsonObject): readonly FieldError[] {
  const ranges = Array.isArray(podCIDRs) ? podCIDRs.map(String) : podCIDR ? [String(podCIDR)] : [];
  const wrong = ranges.flatMap((range, index) => rangeErrors(`spec.podCIDRs[${index}]`, range));
  const isRepeated = wrong.length === 0 && repeatsFamily(ranges);
  const familyText = 'may specify no more than one CIDR for each IP family';
  return [...taintErrors(listOf(taints)), ...wrong, ...(isRepeated ? [invalidValue('spec.podCIDRs', ranges, familyText)] : [])];
}

function nodeChangeErrors({ taints, podCIDRs, providerID }: JsonObject, live: JsonObject): readonly FieldError[] {
  const fixed = (field: string) =>
    forbiddenField(`spec.${field}`, `node updates may not change ${field.replace('CIDRs', 'CIDR')} except from "" to valid`);
  const [before, after] = [valuesOf(live.podCIDRs), valuesOf(podCIDRs)];
  const changed = before.length === after.length ? before.filter((range, index) => range !== after[index]) : [before];
  return [
    ...(before.length === 0 ? [] : changed.map(() => fixed('podCIDRs'))),
    ...(live.providerID && live.providerID !== providerID ? [fixed('providerID')] : []),
    ...taintErrors(listOf(taints)),
  ];
}

function taintErrors(taints: readonly JsonObject[]): readonly FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap(({ key, value = '', effect, timeAdded = null }, index) => {
    const at = `metadata.taints[${index}]`;
    const id = JSON.stringify([key, effect]);
    const isRepeated = seen.has(id);
    seen.add(id);
    const shown = { Key: key ?? '', Value: value, Effect: effect ?? '', TimeAdded: timeAdded } as JsonObject;
    return [
      ...qualifiedNameErrors(String(key ?? '')).map((text) => invalidValue(`${at}.key`, key ?? '', text)),
      ...(effects.includes(String(effect)) ? [] : [effectError(`${at}.effect`, effect)]),
      ...(isRepeated ? [{ ...duplicate(at, shown), detail: 'taints must be unique by key and effect pair' }] : []),
    ];
  });
}

function effectError(field: string, effect: Json | undefined): FieldError {
  return effect ? unsupported(field, effect, effects) : required(field);
}

/** Validates a ServiceCIDR. Source: Kubernetes API reference, ServiceCIDRSpec; messages as observed. */
export function serviceRangeErrors({ spec }: JsonObject): readonly FieldError[] {
  const { cidrs } = structOf(spec);
  const ranges = Array.isArray(cidrs) ? cidrs.map(String) : [];
  if (ranges.length === 0) return [required('spec.cidrs', 'at least one CIDR required')];
  if (ranges.length > 2) return [invalidValue('spec.cidrs', { CIDRs: ranges }, 'may only hold up to 2 values')];
  const text = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [
    ...ranges.flatMap((range, index) => [
      ...rangeErrors(`spec.cidrs[${index}]`, range),
      ...canonicalRangeErrors(`spec.cidrs[${index}]`, range),
    ]),
    ...(repeatsFamily(ranges) ? [invalidValue('spec.cidrs', ranges, text)] : []),
  ];
}

/** Validates that an IPAddress is named by its address. Source: Kubernetes API reference, IPAddress; messages as observed. */
export function addressNameErrors({ metadata }: JsonObject): readonly FieldError[] {
  const name = String(structOf(metadata).name ?? '');
  return [...addressErrors('metadata.name', name), ...canonicalErrors('metadata.name', name)];
}
