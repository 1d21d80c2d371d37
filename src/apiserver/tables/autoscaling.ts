import type { JsonObject } from '../../util/json.js';
import { metricSource } from '../built-in/convert/old-metrics.js';
import { at, listAt, numberAt, or, someOf, textAt } from './cells.js';
import { ageColumn, kind, type TableKind, text } from './column.js';

function metricText(metric: JsonObject, current: JsonObject | undefined): string {
  const found = metricSource(metric);
  if (found === undefined) return '<unknown type>';
  const { member, source } = found;
  const isResource = member === 'resource' || member === 'containerResource';
  const prefix = isResource ? `${textAt(source, 'name')}: ` : '';
  const measured = at(current, `${member}.current`);
  const wanted = textAt(source, 'target.averageUtilization');
  if (isResource && wanted !== '') return `${prefix}${percent(textAt(measured, 'averageUtilization'))}/${wanted}%`;
  const isAverage = textAt(source, 'target.averageValue') !== '';
  const path = isAverage ? 'averageValue' : 'value';
  const suffix = isAverage && (member === 'object' || member === 'external') ? ' (avg)' : '';
  return `${prefix}${or(textAt(measured, path), '<unknown>')}/${textAt(source, `target.${path}`)}${suffix}`;
}

function percent(value: string): string {
  return value === '' ? '<unknown>' : `${value}%`;
}

function targetsText(autoscaler: JsonObject): string {
  const current = listAt(autoscaler, 'status.currentMetrics');
  const texts = listAt(autoscaler, 'spec.metrics').map((metric, index) => metricText(metric, current[index]));
  return or(someOf(texts, 2, ', '), '<none>');
}

/** The columns of a HorizontalPodAutoscaler of autoscaling/v2. */
export const autoscalerTable: TableKind = kind(
  text('Reference', (object) => `${textAt(object, 'spec.scaleTargetRef.kind')}/${textAt(object, 'spec.scaleTargetRef.name')}`),
  text('Targets', targetsText),
  text('MinPods', (object) => or(textAt(object, 'spec.minReplicas'), '<unset>')),
  text('MaxPods', (object) => numberAt(object, 'spec.maxReplicas')),
  text('Replicas', (object) => numberAt(object, 'status.currentReplicas')),
  ageColumn,
);
