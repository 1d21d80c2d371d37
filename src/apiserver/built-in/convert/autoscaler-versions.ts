import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';
import { inOrder, measurements, newMetric, oldMetric, targets } from './old-metrics.js';

/**
 * The annotations in which autoscaling/v1 has what its fields cannot express.
 * Source: Kubernetes documentation "Horizontal Pod Autoscaling"; formats: observed.
 */
const annotation = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;

/** Converts a HorizontalPodAutoscaler of autoscaling/v2 to autoscaling/v1. */
export function autoscalerToV1(object: JsonObject): JsonObject {
  const { metrics, behavior, ...spec } = structOf(object.spec);
  const status = isJsonObject(object.status) ? object.status : undefined;
  const others = listOf(metrics).filter((metric) => cpuUtilization(metric, 'target') === undefined);
  const cpu = listOf(metrics)
    .map((metric) => cpuUtilization(metric, 'target'))
    .find((each) => each !== undefined);
  const added = {
    [annotation.metrics]: others.length === 0 ? undefined : others.map((metric) => oldMetric(metric, targets)),
    [annotation.currentMetrics]: nonEmpty(listOf(status?.currentMetrics).map((metric) => oldMetric(metric, measurements))),
    [annotation.conditions]: nonEmpty(listOf(status?.conditions).map((condition) => inOrder(condition, conditionMembers))),
    [annotation.behavior]: isJsonObject(behavior) ? oldBehavior(behavior) : undefined,
  };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object, added),
    ...(object.spec === undefined ? {} : { spec: { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) } }),
    ...(status === undefined ? {} : { status: oldStatus(status) }),
  };
}

const conditionMembers = ['type', 'status', 'lastTransitionTime', 'reason', 'message'];

function oldStatus({ currentMetrics, conditions: _, ...status }: JsonObject): JsonObject {
  const cpu = listOf(currentMetrics)
    .map((metric) => cpuUtilization(metric, 'current'))
    .find((each) => each !== undefined);
  return { currentReplicas: 0, ...status, ...(cpu === undefined ? {} : { currentCPUUtilizationPercentage: cpu }) };
}

function nonEmpty(list: readonly JsonObject[]): readonly JsonObject[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Returns the utilization of a metric of the CPU, which autoscaling/v1 has as a field. */
function cpuUtilization(metric: JsonObject, member: 'target' | 'current'): Json | undefined {
  const resource = structOf(metric.resource);
  return metric.type === 'Resource' && resource.name === 'cpu' ? structOf(resource[member]).averageUtilization : undefined;
}

function withAnnotations(object: JsonObject, added: Readonly<Record<string, Json | undefined>>): JsonObject {
  const { annotations, ...metadata } = metadataOf(object) as JsonObject;
  const texts = Object.entries(added).flatMap(([name, value]) => (value === undefined ? [] : [[name, JSON.stringify(value)] as const]));
  const all = { ...withoutOwn(annotations), ...Object.fromEntries(texts) };
  return Object.keys(all).length === 0 ? metadata : { ...metadata, annotations: all };
}

function withoutOwn(annotations: Json | undefined): JsonObject {
  const own: readonly string[] = Object.values(annotation);
  return Object.fromEntries(Object.entries(structOf(annotations)).filter(([name]) => !own.includes(name)));
}

/** Converts a HorizontalPodAutoscaler of autoscaling/v1 to autoscaling/v2. Annotations that cannot be read are dropped, as there. */
export function autoscalerToV2(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = structOf(object.spec);
  const { annotations, ...metadata } = metadataOf(object) as JsonObject;
  const kept = withoutOwn(annotations);
  const read = (name: string) => parsed(structOf(annotations)[name]);
  const cpu = target === undefined || target === null ? [] : [cpuMetric('target', { type: 'Utilization', averageUtilization: target })];
  const metrics = [...listOf(read(annotation.metrics)).map((metric) => newMetric(metric, targets, 'target')), ...cpu];
  const behavior = newBehavior(structOf(read(annotation.behavior)));
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: Object.keys(kept).length === 0 ? metadata : { ...metadata, annotations: kept },
    ...(object.spec === undefined
      ? {}
      : { spec: { ...spec, ...(metrics.length === 0 ? {} : { metrics }), ...(Object.keys(behavior).length === 0 ? {} : { behavior }) } }),
    ...(isJsonObject(object.status) ? { status: newStatus(object.status, read) } : {}),
  };
}

function newStatus(old: JsonObject, read: (name: string) => Json | undefined): JsonObject {
  const { currentCPUUtilizationPercentage: cpu, currentReplicas, ...status } = old;
  const annotated = listOf(read(annotation.currentMetrics)).map((metric) => newMetric(metric, measurements, 'current'));
  const hasCpu = annotated.length === 0 && cpu !== undefined && cpu !== null;
  const conditions = listOf(read(annotation.conditions));
  return {
    ...status,
    ...(currentReplicas ? { currentReplicas } : {}),
    currentMetrics: hasCpu ? [cpuMetric('current', { averageUtilization: cpu })] : annotated,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function cpuMetric(member: 'target' | 'current', value: JsonObject): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', [member]: value } };
}

function parsed(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const rules = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance'] as const;

/** Returns a behavior as the annotation has it: with all members, in upper case. */
function oldBehavior(behavior: JsonObject): JsonObject {
  return Object.fromEntries(
    ['ScaleUp', 'ScaleDown'].map((name) => {
      const scaling = behavior[lowerFirst(name)];
      return [name, isJsonObject(scaling) ? oldRules(scaling) : null];
    }),
  );
}

function oldRules(scaling: JsonObject): JsonObject {
  return Object.fromEntries(
    rules.map((name) => {
      const value = scaling[lowerFirst(name)];
      if (name !== 'Policies' || !Array.isArray(value)) return [name, value ?? null];
      return [
        name,
        listOf(value).map(({ type, value: amount, periodSeconds }) => ({ Type: type, Value: amount, PeriodSeconds: periodSeconds })),
      ];
    }),
  );
}

function newBehavior(old: JsonObject): JsonObject {
  return lowerMembers(old, (scaling) =>
    lowerMembers(structOf(scaling), (value) =>
      Array.isArray(value) ? listOf(value).map((policy) => lowerMembers(policy, (each) => each)) : value,
    ),
  );
}

/** Returns the members that are not null, their names in lower case. */
function lowerMembers(object: JsonObject, convert: (value: Json) => Json): JsonObject {
  const members = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [lowerFirst(name), convert(value as Json)]));
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
