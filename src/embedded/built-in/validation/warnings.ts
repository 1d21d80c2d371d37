import { metadataOf } from '../../../kubernetes/object.js';
import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { structOf } from '../convert/json-access.js';
import { podNameWarnings, podSpecWarnings } from './pod-warnings.js';

/** Returns warnings about the content, in the words of the server. */
export function warningsOf(object: JsonObject, live: JsonObject | undefined): readonly string[] {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  if (object.kind === 'Service') return serviceWarnings(spec);
  const template = isJsonObject(spec.template) && isJsonObject(spec.template.spec) ? spec.template.spec : undefined;
  const generation = (value: JsonObject) => metadataOf(value).generation;
  // An update that does not change the content has no warnings.
  if (live !== undefined && generation(live) === generation(object)) return [];
  if (template !== undefined) return podSpecWarnings(template, 'spec.template.spec');
  if (object.kind === 'PodTemplate') return podSpecWarnings(structOf(structOf(object.template).spec), 'template.spec');
  if (object.kind === 'CronJob') {
    const job = structOf(structOf(spec.jobTemplate).spec);
    return podSpecWarnings(structOf(structOf(job.template).spec), 'spec.jobTemplate.spec.template.spec');
  }
  // An update of a Pod has none: mostly a controller writes it. Source: observed.
  if (object.kind !== 'Pod' || live !== undefined) return [];
  return [...podNameWarnings(metadataOf(object).name ?? ''), ...podSpecWarnings(spec, 'spec')];
}

function serviceWarnings({ externalIPs, trafficDistribution }: JsonObject): readonly string[] {
  return [
    ...(Array.isArray(externalIPs) && externalIPs.length > 0
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...(trafficDistribution === 'PreferClose' ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'] : []),
  ];
}
