import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';

/** Member of a metric that describes it, by its type. */
const members: Readonly<Record<string, string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

/** Returns the member that describes a metric, and its name; undefined for an unknown type. */
export function metricSource(metric: JsonObject): { readonly member: string; readonly source: JsonObject } | undefined {
  const member = members[String(metric.type)];
  const source = member === undefined ? undefined : metric[member];
  return member === undefined || !isJsonObject(source) ? undefined : { member, source };
}

/** Names of the same value in both versions. `path` is the value in autoscaling/v2; `zero` is written where it is absent. */
interface Renaming {
  readonly name: string;
  readonly path: readonly string[];
  readonly zero?: Json;
  /** Member beside which the zero stands for an absent value. */
  readonly unless?: string;
}

/** The members of metrics, by the member that describes the metric. */
export type MetricNames = Readonly<Record<string, readonly Renaming[]>>;

function named(path: string, name: string, absent: Pick<Renaming, 'zero' | 'unless'> = {}): Renaming {
  return { name, path: path.split('.'), ...absent };
}

const metric = named('metric.name', 'metricName');
const selector = named('metric.selector', 'selector');
const container = named('container', 'container');

/** The members of a target, in the order of their text. */
export const targets: MetricNames = {
  resource: [
    named('name', 'name'),
    named('target.averageUtilization', 'targetAverageUtilization'),
    named('target.averageValue', 'targetAverageValue'),
    container,
  ],
  pods: [metric, named('target.averageValue', 'targetAverageValue'), selector],
  object: [
    named('describedObject', 'target'),
    metric,
    named('target.value', 'targetValue', { zero: '0', unless: 'averageValue' }),
    selector,
    named('target.averageValue', 'averageValue'),
  ],
  external: [
    metric,
    named('metric.selector', 'metricSelector'),
    named('target.value', 'targetValue'),
    named('target.averageValue', 'targetAverageValue'),
  ],
};

export const measurements: MetricNames = {
  resource: [
    named('name', 'name'),
    named('current.averageUtilization', 'currentAverageUtilization'),
    named('current.averageValue', 'currentAverageValue', { zero: '0', unless: 'currentAverageUtilization' }),
    container,
  ],
  pods: [metric, named('current.averageValue', 'currentAverageValue'), selector],
  object: [
    named('describedObject', 'target'),
    metric,
    named('current.value', 'currentValue', { zero: '0', unless: 'averageValue' }),
    selector,
    named('current.averageValue', 'averageValue'),
  ],
  external: [
    metric,
    named('metric.selector', 'metricSelector'),
    named('current.value', 'currentValue', { zero: '0', unless: 'currentAverageValue' }),
    named('current.averageValue', 'currentAverageValue'),
  ],
};

function renamingsOf(table: MetricNames, member: string): readonly Renaming[] {
  return table[member === 'containerResource' ? 'resource' : member] ?? [];
}

/** Returns the members in the order of the server's text. */
export function inOrder(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]));
}

/** Returns a metric as the annotations of autoscaling/v1 have it. */
export function oldMetric(metric: JsonObject, table: MetricNames): JsonObject {
  const { type } = metric;
  const found = metricSource(metric);
  if (found === undefined) return { type };
  const { member, source } = found;
  const values = renamingsOf(table, member).flatMap(({ name, path, zero }) => {
    const value = valueAt(source, path) ?? zero;
    return value === undefined
      ? []
      : [[name, name === 'target' ? inOrder(structOf(value), ['kind', 'name', 'apiVersion']) : value] as const];
  });
  return { type, [member]: Object.fromEntries(values) };
}

function valueAt(value: JsonObject, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const name of path) found = structOf(found)[name];
  return found ?? undefined;
}

/** Returns a metric of autoscaling/v2 that an annotation has. */
export function newMetric(metric: JsonObject, table: MetricNames, kind: 'target' | 'current'): JsonObject {
  const { type } = metric;
  const found = metricSource(metric);
  if (found === undefined) return { type };
  const { member, source: old } = found;
  let source: JsonObject = {};
  for (const { name, path, zero, unless } of renamingsOf(table, member)) {
    const value = old[name];
    const isAbsent = value === undefined || value === null || (value === zero && unless !== undefined && old[unless] !== undefined);
    if (!isAbsent) source = withValueAt(source, path, value);
  }
  const values = structOf(source[kind]);
  const described = kind === 'target' ? { ...source, target: { type: targetType(values), ...values } } : source;
  return { type, [member]: described };
}

function targetType({ averageUtilization, averageValue }: JsonObject): string {
  if (averageUtilization !== undefined) return 'Utilization';
  return averageValue !== undefined ? 'AverageValue' : 'Value';
}

function withValueAt(object: JsonObject, [name, ...rest]: readonly string[], value: Json): JsonObject {
  if (name === undefined) return object;
  return { ...object, [name]: rest.length === 0 ? value : withValueAt(structOf(object[name]), rest, value) };
}
