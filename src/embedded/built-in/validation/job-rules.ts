import { metadataOf } from '../../../kubernetes/object.js';
import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, invalidValue, required } from '../../api/field-error.js';
import type { UpdateContext } from '../../registry/resource.js';
import { listOf, structOf } from '../convert/json-access.js';
import { generatedLabels } from '../strategy/job.js';
import { nonNegativeErrors } from './name-rules.js';
import { podTemplateErrors } from './pod-rules.js';

const numbers = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];
const immutableText = 'field is immutable';

/** Validates a Job. Source: Kubernetes documentation "Jobs"; messages as observed. */
export function jobErrors(job: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const spec = structOf(job.spec);
  const errors = [...(update === undefined ? selectorErrors(job) : []), ...jobSpecErrors(spec, 'spec')];
  return update === undefined ? errors : [...errors, ...labelErrors(job), ...jobUpdateErrors(spec, update.live)];
}

/** Validates a CronJob. Source: Kubernetes documentation "CronJob"; messages as observed. */
export function cronJobErrors(cronJob: JsonObject): readonly FieldError[] {
  const { schedule, startingDeadlineSeconds, jobTemplate, successfulJobsHistoryLimit, failedJobsHistoryLimit } = structOf(cronJob.spec);
  const { name = '' } = metadataOf(cronJob);
  return [
    ...(name.length > 52 ? [invalidValue('metadata.name', name, 'must be no more than 52 characters')] : []),
    ...(schedule ? scheduleErrors(String(schedule)) : [required('spec.schedule')]),
    ...nonNegativeErrors('spec.startingDeadlineSeconds', startingDeadlineSeconds),
    ...jobSpecErrors(structOf(structOf(jobTemplate).spec), 'spec.jobTemplate.spec'),
    ...nonNegativeErrors('spec.successfulJobsHistoryLimit', successfulJobsHistoryLimit),
    ...nonNegativeErrors('spec.failedJobsHistoryLimit', failedJobsHistoryLimit),
  ];
}

function scheduleErrors(schedule: string): readonly FieldError[] {
  const field = 'spec.schedule';
  if (/TZ/.test(schedule)) return [invalidValue(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  if (schedule.startsWith('@')) return [];
  const parts = schedule.trim().split(/\s+/);
  return parts.length === 5
    ? []
    : [invalidValue(field, schedule, `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`)];
}

function jobSpecErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const template = structOf(spec.template);
  const { restartPolicy } = structOf(template.spec);
  const restarts = restartPolicy === 'OnFailure' || restartPolicy === 'Never';
  return [
    ...numbers.flatMap((name) => nonNegativeErrors(`${path}.${name}`, spec[name])),
    ...podTemplateErrors(template, `${path}.template`),
    ...(restarts ? [] : [required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')]),
  ];
}

/** The server adds its own label to a selector; it must be the only one unless the author selects. */
function selectorErrors({ spec }: JsonObject): readonly FieldError[] {
  const { manualSelector, selector, template } = structOf(spec);
  if (manualSelector !== true) {
    const isOwn =
      Object.keys(structOf(structOf(selector).matchLabels)).length === 1 && listOf(structOf(selector).matchExpressions).length === 0;
    return isOwn ? [] : [invalidValue('spec.selector', selector ?? null, '`selector` not auto-generated')];
  }
  if (selector === undefined) return [required('spec.selector')];
  const labels = structOf(structOf(structOf(template).metadata).labels);
  const matches = Object.entries(structOf(structOf(selector).matchLabels)).every(([name, value]) => labels[name] === value);
  return matches ? [] : [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

/** Validates the labels that make the Pods of a Job its own. */
function labelErrors(job: JsonObject): readonly FieldError[] {
  const { manualSelector, selector, template } = structOf(job.spec);
  const { labels } = structOf(structOf(template).metadata);
  const found = structOf(labels);
  const field = 'spec.template.metadata.labels';
  const matches = Object.entries(structOf(structOf(selector).matchLabels)).every(([name, value]) => found[name] === value);
  const own = manualSelector === true ? [] : Object.entries(generatedLabels(job));
  return [
    ...(matches ? [] : [invalidValue(field, labels ?? null, '`selector` does not match template `labels`')]),
    ...own.flatMap(([name, value]): readonly FieldError[] => {
      if (found[name] === value) return [];
      const text = `must be '${String(value)}'`;
      const at = `${field}[${name}]`;
      return [found[name] === undefined ? required(at, text) : invalidValue(at, found[name], text)];
    }),
  ];
}

function jobUpdateErrors(spec: JsonObject, live: JsonObject): readonly FieldError[] {
  const before = structOf(live.spec);
  const { startTime } = structOf(live.status);
  const isOpen = before.suspend === true && startTime === undefined;
  const same = (name: string) => jsonEqual((spec[name] ?? null) as Json, (before[name] ?? null) as Json);
  const template = isOpen ? withFreeMembers(structOf(spec.template), structOf(before.template)) : structOf(spec.template);
  const isSameTemplate = jsonEqual(template, structOf(before.template));
  return [
    ...['completions', 'selector']
      .filter((name) => !same(name))
      .map((name) => invalidValue(`spec.${name}`, spec[name] ?? null, immutableText)),
    ...(isSameTemplate ? [] : [invalidValue(isOpen ? 'spec.template.spec' : 'spec.template', spec.template ?? null, immutableText)]),
    ...(same('completionMode') ? [] : [invalidValue('spec.completionMode', spec.completionMode ?? null, immutableText)]),
  ];
}

const freeInSpec = ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates'];

/** Returns the template with what may change while a Job waits for its start as it was before. */
function withFreeMembers(template: JsonObject, before: JsonObject): JsonObject {
  const kept = (now: JsonObject, then: JsonObject, names: readonly string[]) => {
    const others = Object.entries(now).filter(([name]) => !names.includes(name));
    const again = names.flatMap((name) => (then[name] === undefined ? [] : [[name, then[name]] as const]));
    return Object.fromEntries([...others, ...again]) as JsonObject;
  };
  return {
    ...template,
    metadata: kept(structOf(template.metadata), structOf(before.metadata), ['labels', 'annotations']),
    spec: kept(structOf(template.spec), structOf(before.spec), freeInSpec),
  };
}
