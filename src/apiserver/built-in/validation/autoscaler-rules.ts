import type { Json, JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';

/** Validates a HorizontalPodAutoscaler. Source: Kubernetes documentation "Horizontal Pod Autoscaling"; messages as observed. */
export function autoscalerErrors(object: JsonObject): readonly FieldError[] {
  const { minReplicas, maxReplicas, metrics, scaleTargetRef } = structOf(object.spec);
  return [
    ...replicaErrors(Number(minReplicas ?? 1), Number(maxReplicas ?? 0), listOf(metrics)),
    ...targetErrors(structOf(scaleTargetRef), 'spec.scaleTargetRef'),
    ...listOf(metrics).flatMap((metric, index) => metricErrors(metric, `spec.metrics[${index}]`)),
  ];
}

export function autoscalerStatusErrors(object: JsonObject): readonly FieldError[] {
  const status = structOf(object.status);
  return ['currentReplicas', 'desiredReplicas'].flatMap((name) => {
    const value = status[name];
    return typeof value === 'number' && value < 0 ? [invalidValue(`status.${name}`, value, 'must be greater than or equal to 0')] : [];
  });
}

function replicaErrors(least: number, most: number, metrics: readonly JsonObject[]): FieldError[] {
  const errors: FieldError[] = [];
  const tooFew = 'must be greater than or equal to 1';
  if (least < 1) errors.push(invalidValue('spec.minReplicas', least, tooFew));
  const scalesToZero = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (least === 0 && !scalesToZero)
    errors.push(forbiddenField('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas'));
  if (most === 0) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  else if (most < 1) errors.push(invalidValue('spec.maxReplicas', most, tooFew));
  if (most < least) errors.push(invalidValue('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'));
  return errors;
}

function targetErrors({ apiVersion, kind, name }: JsonObject, field: string): FieldError[] {
  const errors = [
    ['kind', kind],
    ['name', name],
  ].flatMap(([member, value]) => {
    if (!value) return [required(`${field}.${member}`)];
    return String(value).includes('/') ? [invalidValue(`${field}.${member}`, value as Json, "may not contain '/'")] : [];
  });
  const isGrouped = String(apiVersion ?? '').includes('/') || kind === 'ReplicationController';
  return isGrouped ? errors : [invalidValue(`${field}.apiVersion`, apiVersion ?? '', 'apiVersion must specify API group'), ...errors];
}

const sources: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

function metricErrors(metric: JsonObject, field: string): FieldError[] {
  const type = String(metric.type ?? '');
  const source = sources[type];
  const errors = metric.resource === undefined ? [] : resourceErrors(structOf(metric.resource), `${field}.resource`);
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric source type'));
  // The server reports this error twice. Source: observed.
  if (source === undefined) errors.push(...[0, 1].map(() => unsupported(`${field}.type`, type, Object.keys(sources))));
  else if (metric[source] === undefined)
    errors.push(required(`${field}.${source}`, 'must populate information for the given metric source'));
  return errors;
}

function resourceErrors({ name, target }: JsonObject, field: string): FieldError[] {
  const { type, averageUtilization, averageValue } = structOf(target);
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${field}.name`, 'must specify a resource name'));
  if (!type) {
    errors.push(required(`${field}.target.type`, 'must specify a metric target type'));
    errors.push(invalidValue(`${field}.target.type`, '', 'must be either Utilization, Value, or AverageValue'));
  }
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(required(`${field}.target.averageUtilization`, 'must set either a target raw value or a target utilization'));
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(forbiddenField(`${field}.target.averageValue`, 'may not set both a target raw value and a target utilization'));
  if (typeof averageUtilization === 'number' && averageUtilization < 1)
    errors.push(invalidValue(`${field}.target.averageUtilization`, averageUtilization, 'must be greater than 0'));
  if (String(averageValue ?? '').startsWith('-'))
    errors.push(invalidValue(`${field}.target.averageValue`, averageValue, 'must be positive'));
  return errors;
}
