import { metadataOf } from '../../../kubernetes/object.js';
import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import type { UpdateContext } from '../../registry/resource.js';
import { selectorMatcher } from '../../registry/selectors.js';
import { structOf } from '../convert/json-access.js';
import { generatedLabels } from '../strategy/job.js';
import { nonNegativeErrors } from './name-rules.js';
import { podTemplateErrors } from './pod-rules.js';
import { scheduleErrors, timeZoneErrors } from './schedule-rules.js';
import { labelSelectorErrors, selectorMismatch } from './scheduling-rules.js';

const numbers = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];
const immutableText = 'field is immutable';

/** Validates a Job; an update reports what is wrong with the spec twice. Source: Kubernetes documentation "Jobs"; messages as observed. */
export function jobErrors(job: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const spec = structOf(job.spec);
  const errors = [...jobSpecErrors(spec, 'spec'), ...selectorErrors(spec)];
  const all = [...generatedErrors(job), ...errors];
  return update === undefined ? all : [...all, ...errors, ...jobUpdateErrors(spec, update.live)];
}

/** Validates a CronJob. Source: Kubernetes documentation "CronJob"; messages as observed. */
export function cronJobErrors(cronJob: JsonObject): readonly FieldError[] {
  const { schedule, timeZone, startingDeadlineSeconds, jobTemplate, successfulJobsHistoryLimit, failedJobsHistoryLimit } = structOf(
    cronJob.spec,
  );
  const { name = '' } = metadataOf(cronJob);
  return [
    ...(name.length > 52 ? [invalidValue('metadata.name', name, 'must be no more than 52 characters')] : []),
    ...(schedule ? scheduleErrors('spec.schedule', String(schedule)) : [required('spec.schedule')]),
    ...nonNegativeErrors('spec.startingDeadlineSeconds', startingDeadlineSeconds),
    ...(typeof timeZone === 'string' ? timeZoneErrors('spec.timeZone', timeZone) : []),
    ...concurrencyErrors(structOf(cronJob.spec)),
    ...jobSpecErrors(structOf(structOf(jobTemplate).spec), 'spec.jobTemplate.spec'),
    ...nonNegativeErrors('spec.successfulJobsHistoryLimit', successfulJobsHistoryLimit),
    ...nonNegativeErrors('spec.failedJobsHistoryLimit', failedJobsHistoryLimit),
  ];
}

const concurrencyPolicies = ['Allow', 'Forbid', 'Replace'];

function concurrencyErrors({ concurrencyPolicy }: JsonObject): readonly FieldError[] {
  const field = 'spec.concurrencyPolicy';
  return concurrencyPolicies.includes(String(concurrencyPolicy)) ? [] : [unsupported(field, concurrencyPolicy, concurrencyPolicies)];
}

function jobSpecErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const template = structOf(spec.template);
  const { restartPolicy } = structOf(template.spec);
  const restarts = restartPolicy === 'OnFailure' || restartPolicy === 'Never';
  return [
    ...numbers.flatMap((name) => nonNegativeErrors(`${path}.${name}`, spec[name])),
    ...podTemplateErrors(template, `${path}.template`),
    ...(spec.managedBy === '' ? [required(`${path}.managedBy`)] : []),
    ...(restarts ? [] : [required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')]),
  ];
}

const labelsField = 'spec.template.metadata.labels';

/** Validates that the Pods of a Job have the labels that it selects. */
function selectorErrors({ selector, template }: JsonObject): readonly FieldError[] {
  const { labels } = structOf(structOf(template).metadata);
  const mismatch = selectorMismatch(labels);
  if (selector === undefined) return [required('spec.selector'), mismatch];
  const errors = labelSelectorErrors(structOf(selector), 'spec.selector');
  return errors.length > 0 || selects(selector, labels) ? errors : [mismatch];
}

function selects(selector: Json, labels: Json | undefined): boolean {
  return selectorMatcher(selector)({ metadata: { labels: structOf(labels) } });
}

/** Validates the labels of the server, which make the Pods of a Job its own unless its author selects. */
function generatedErrors(job: JsonObject): readonly FieldError[] {
  const { manualSelector, selector, template } = structOf(job.spec);
  if (manualSelector === true || selector === undefined) return [];
  const labels = structOf(structOf(structOf(template).metadata).labels);
  const own = generatedLabels(job);
  const isValid = labelSelectorErrors(structOf(selector), 'spec.selector').length === 0;
  return [
    ...Object.entries(own)
      .toSorted(([left], [right]) => Number(left.includes('/')) - Number(right.includes('/')))
      .flatMap(([name, value]): readonly FieldError[] => {
        if (labels[name] === value) return [];
        const [at, text] = [`${labelsField}[${name}]`, `must be '${String(value)}'`];
        return [labels[name] === undefined ? required(at, text) : invalidValue(at, labels, text)];
      }),
    ...(!isValid || selects(selector, own) ? [] : [invalidValue('spec.selector', selector, '`selector` not auto-generated')]),
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
