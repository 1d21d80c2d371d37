import { metadataOf } from '../../../fields/object.js';
import { longestCronJobName } from '../../../schema/index.js';
import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { nonNegativeErrors, subdomainErrors } from '../../api/name-rules.js';
import type { UpdateContext } from '../../registry/resource.js';
import { selectorMatcher } from '../../registry/selectors.js';
import { generatedLabels } from '../strategy/job.js';
import { failurePolicyErrors, successPolicyErrors } from './job-policy-rules.js';
import { podTemplateErrors } from './pod-rules.js';
import { scheduleErrors, timeZoneErrors } from './schedule-rules.js';
import { labelSelectorErrors, selectorMismatch } from './scheduling-rules.js';

const numbers = [
  ...['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'],
  ...['backoffLimitPerIndex', 'maxFailedIndexes'],
];
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
    ...(name.length > longestCronJobName
      ? [invalidValue('metadata.name', name, `must be no more than ${longestCronJobName} characters`)]
      : []),
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
  const { managedBy, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const isUnlimited = maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined;
  return [
    ...numbers.flatMap((name) => nonNegativeErrors(`${path}.${name}`, spec[name])),
    ...(isUnlimited ? [required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')] : []),
    ...(typeof managedBy === 'string' ? managerErrors(`${path}.managedBy`, managedBy) : []),
    ...completionErrors(spec, path),
    ...failurePolicyErrors(spec, path),
    ...successPolicyErrors(spec, path),
    ...replacementErrors(spec, path),
    ...podTemplateErrors(template, `${path}.template`),
    ...restartErrors(structOf(template.spec), spec.podFailurePolicy !== undefined, `${path}.template.spec.restartPolicy`),
  ];
}

function managerErrors(field: string, name: string): readonly FieldError[] {
  if (name === '') return [required(field)];
  const slash = name.indexOf('/');
  const [domain, path] = [name.slice(0, slash), name.slice(slash + 1)];
  const isPrefixed = slash > 0 && path !== '';
  const isPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path);
  const pathText = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
  return [
    ...(isPrefixed
      ? subdomainErrors(field, domain)
      : [invalidValue(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")')]),
    ...(isPrefixed && !isPath ? [invalidValue(field, path, pathText)] : []),
    ...(name.length > 63 ? [{ type: 'tooLong', field, detail: 'may not be more than 63 bytes' } as const] : []),
  ];
}

const completionModes = ['NonIndexed', 'Indexed'];
const maxIndexed = 100_000;
const maxOfMany = 10_000;

/** Validates the numbers that the completion mode allows. */
function completionErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const { completionMode = 'NonIndexed', completions, backoffLimitPerIndex } = spec;
  const limited = ['parallelism', 'maxFailedIndexes'];
  const atMost = (name: string, most: number, what: string) =>
    Number(spec[name] ?? 0) > most ? [invalidValue(`${path}.${name}`, spec[name], `must be less than or equal to ${what}`)] : [];
  const unknown = completionModes.includes(String(completionMode))
    ? []
    : [unsupported(`${path}.completionMode`, completionMode, completionModes)];
  if (completionMode !== 'Indexed') {
    const set = ['backoffLimitPerIndex', 'maxFailedIndexes'].filter((name) => completionMode === 'NonIndexed' && spec[name] !== undefined);
    return [...unknown, ...set.map((name) => invalidValue(`${path}.${name}`, spec[name], 'requires indexed completion mode'))];
  }
  const isMany = Number(completions ?? 0) > maxIndexed && backoffLimitPerIndex !== undefined;
  const whenMany = `${maxOfMany} when completions are above ${maxIndexed} and used with backoff limit per index`;
  return [
    ...(completions === undefined ? [required(`${path}.completions`, 'when completion mode is Indexed')] : []),
    ...atMost('parallelism', maxIndexed, `${maxIndexed} when completion mode is Indexed`),
    ...(completions === undefined ? [] : atMost('maxFailedIndexes', Number(completions), 'completions')),
    ...atMost('maxFailedIndexes', maxIndexed, `${maxIndexed}`),
    ...(isMany ? limited.flatMap((name) => atMost(name, maxOfMany, whenMany)) : []),
  ];
}

function replacementErrors({ podReplacementPolicy, podFailurePolicy }: JsonObject, path: string): readonly FieldError[] {
  const choices = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  const isKnown = podReplacementPolicy === undefined || choices.includes(String(podReplacementPolicy));
  return isKnown ? [] : [unsupported(`${path}.podReplacementPolicy`, podReplacementPolicy, choices)];
}

function restartErrors({ restartPolicy }: JsonObject, hasPolicy: boolean, field: string): readonly FieldError[] {
  const choices = ['OnFailure', 'Never'];
  if (!restartPolicy || restartPolicy === 'Always') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (!choices.includes(String(restartPolicy))) return [unsupported(field, restartPolicy, choices)];
  const isRefused = hasPolicy && restartPolicy !== 'Never';
  return isRefused ? [invalidValue(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')] : [];
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
  const same = (name: string) => jsonEqual((spec[name] ?? null) as Json, (before[name] ?? null) as Json);
  return [
    ...['completions', 'selector']
      .filter((name) => !same(name))
      .map((name) => invalidValue(`spec.${name}`, spec[name] ?? null, immutableText)),
    ...templateErrors(structOf(spec.template), live),
    ...(same('completionMode') ? [] : [invalidValue('spec.completionMode', spec.completionMode ?? null, immutableText)]),
  ];
}

/** Validates that a template changes only in what may change while a Job waits. Source: KEP-2926, KEP-5440. */
function templateErrors(template: JsonObject, live: JsonObject): readonly FieldError[] {
  const before = structOf(structOf(live.spec).template);
  if (!isWaiting(live)) return jsonEqual(template, before) ? [] : [invalidValue('spec.template', template, immutableText)];
  const [spec, then] = [structOf(template.spec), structOf(before.spec)];
  const isSame = jsonEqual(withoutFreeMembers(spec, then), withoutFreeMembers(then, spec));
  return isSame ? [] : [invalidValue('spec.template.spec', spec, immutableText)];
}

/** Returns true for a suspended Job that has no Pods. */
function isWaiting({ spec, status }: JsonObject): boolean {
  const { startTime, active, conditions } = structOf(status);
  const hasStopped = listOf(conditions).some((condition) => condition.type === 'Suspended' && condition.status === 'True');
  return structOf(spec).suspend === true && (startTime === undefined || hasStopped) && (active ?? 0) === 0;
}

/** Returns the spec of a Pod without what may change while a Job waits. */
function withoutFreeMembers(spec: JsonObject, other: JsonObject): JsonObject {
  const { nodeSelector: _, tolerations: __, schedulingGates: ___, affinity, ...kept } = spec;
  const { nodeAffinity: ____, ...otherAffinity } = structOf(affinity);
  const result: Record<string, Json> = { ...kept, affinity: otherAffinity };
  for (const name of ['containers', 'initContainers']) {
    if (spec[name] !== undefined) result[name] = withoutResources(listOf(spec[name]), listOf(other[name]));
  }
  return result;
}

/** Returns containers without the resources of those that stand in the same place of the other list. */
function withoutResources(containers: readonly JsonObject[], others: readonly JsonObject[]): Json {
  if (containers.length !== others.length) return containers as Json;
  return containers.map((container, index) => {
    const { resources: _, ...kept } = container;
    return others[index]?.name === container.name ? kept : container;
  });
}
