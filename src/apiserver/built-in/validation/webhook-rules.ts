import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { duplicate, type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { subdomainTexts } from '../../api/name-rules.js';
import { webhookConditionErrors } from '../../policies/policy-expressions.js';
import type { UpdateContext } from '../../registry/resource.js';
import { matchConditionErrors } from './match-condition-rules.js';
import { matchPolicies, ruleErrors, textsOf } from './match-rules.js';
import { clientConfigErrors, reviewVersionErrors, reviewVersions } from './reviewer-rules.js';
import { labelSelectorErrors } from './scheduling-rules.js';

const failurePolicies = ['Fail', 'Ignore'];
const sideEffectClasses = ['None', 'NoneOnDryRun'];
const reinvocationPolicies = ['IfNeeded', 'Never'];

/** Validates a ValidatingWebhookConfiguration. Source: Kubernetes API reference, ValidatingWebhook; messages as observed. */
export function validatingWebhookErrors(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  return webhooksErrors(object, update, () => []);
}

/** Validates a MutatingWebhookConfiguration. Source: Kubernetes API reference, MutatingWebhook; messages as observed. */
export function mutatingWebhookErrors(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  return webhooksErrors(object, update, ({ reinvocationPolicy }, path) =>
    choice(reinvocationPolicy, `${path}.reinvocationPolicy`, reinvocationPolicies),
  );
}

/** Finds errors in the members that only webhooks of one kind have. */
type OwnErrors = (webhook: JsonObject, path: string) => readonly FieldError[];

function webhooksErrors(object: JsonObject, update: UpdateContext | undefined, ownErrors: OwnErrors): readonly FieldError[] {
  const webhooks = listOf(object.webhooks);
  const names = webhooks.map(({ name }) => String(name ?? ''));
  const areConditionsKept = update !== undefined && jsonEqual(conditionsOf(webhooks), conditionsOf(listOf(update.live.webhooks)));
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const name = names[index] as string;
    return [
      ...nameErrors(name, `${path}.name`),
      ...matchErrors(webhook, path),
      ...ownErrors(webhook, path),
      ...clientConfigErrors(structOf(webhook.clientConfig), `${path}.clientConfig`),
      ...(areConditionsKept
        ? []
        : matchConditionErrors(listOf(webhook.matchConditions), `${path}.matchConditions`, webhookConditionErrors)),
      ...versionErrors(textsOf(webhook.admissionReviewVersions), `${path}.admissionReviewVersions`),
      ...(name !== '' && names.indexOf(name) < index ? [duplicate(`${path}.name`, name)] : []),
    ];
  });
}

function conditionsOf(webhooks: readonly JsonObject[]): Json {
  return webhooks.map(({ matchConditions }) => listOf(matchConditions));
}

function nameErrors(name: string, field: string): readonly FieldError[] {
  if (name === '') return [required(field)];
  const texts = subdomainTexts(name);
  if (texts.length > 0) return texts.map((text) => invalidValue(field, name, text));
  return name.split('.').length < 3 ? [invalidValue(field, name, 'should be a domain with at least three segments separated by dots')] : [];
}

function choice(value: Json | undefined, field: string, choices: readonly string[]): readonly FieldError[] {
  return choices.includes(String(value)) ? [] : [unsupported(field, value, choices)];
}

function matchErrors(webhook: JsonObject, path: string): readonly FieldError[] {
  const { rules, failurePolicy, matchPolicy, sideEffects, timeoutSeconds, namespaceSelector, objectSelector } = webhook;
  const isInTime = Number(timeoutSeconds) >= 1 && Number(timeoutSeconds) <= 30;
  return [
    ...listOf(rules).flatMap((rule, index) => ruleErrors(rule, `${path}.rules[${index}]`)),
    ...choice(failurePolicy, `${path}.failurePolicy`, failurePolicies),
    ...choice(matchPolicy, `${path}.matchPolicy`, matchPolicies),
    ...(sideEffects === undefined || sideEffects === null
      ? [required(`${path}.sideEffects`, `must specify one of ${sideEffectClasses.join(', ')}`)]
      : choice(sideEffects, `${path}.sideEffects`, sideEffectClasses)),
    ...(isInTime ? [] : [invalidValue(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]),
    ...labelSelectorErrors(structOf(namespaceSelector), `${path}.namespaceSelector`),
    ...labelSelectorErrors(structOf(objectSelector), `${path}.objectSelector`),
  ];
}

function versionErrors(versions: readonly string[], field: string): readonly FieldError[] {
  if (versions.length === 0) return [required(field, `must specify one of ${reviewVersions.join(', ')}`)];
  return reviewVersionErrors(versions, field);
}
