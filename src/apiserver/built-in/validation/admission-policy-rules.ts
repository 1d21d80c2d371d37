import type { Json, JsonObject } from '../../../util/json.js';
import { isSubdomain, nameTexts, qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { pathNameErrors, subdomainErrors } from '../../api/name-rules.js';
import { type PolicyExpressions, policyExpressions } from '../../policies/policy-expressions.js';
import type { UpdateContext } from '../../registry/resource.js';
import { matchConditionErrors } from './match-condition-rules.js';
import { matchResourcesErrors } from './match-rules.js';
import { labelSelectorErrors } from './scheduling-rules.js';

const failurePolicies = ['Fail', 'Ignore'];
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const actions = ['Audit', 'Deny', 'Warn'];
const maxAnnotations = 20;
const maxAnnotationExpression = 5 * 1024;
const staticSuffix = '.static.k8s.io';

const isBlank = (text: Json | undefined) => String(text ?? '').trim() === '';
const hasLineBreaks = (text: Json | undefined) => /[\n\r]/.test(String(text ?? '').trim());

/** Validates a ValidatingAdmissionPolicy. Source: Kubernetes API reference, ValidatingAdmissionPolicySpec; messages as observed. */
export function admissionPolicyErrors(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const spec = structOf(object.spec);
  const name = String(structOf(object.metadata).name ?? '');
  const { failurePolicy, paramKind, matchConstraints, validations, auditAnnotations } = spec;
  const expressions = policyExpressions(spec, update === undefined ? undefined : structOf(update.live.spec));
  const constraints = structOf(matchConstraints);
  const isWithoutRules = listOf(constraints.resourceRules).length === 0;
  return [
    ...(failurePolicies.includes(String(failurePolicy)) ? [] : [unsupported('spec.failurePolicy', failurePolicy, failurePolicies)]),
    ...(paramKind === undefined ? [] : paramKindErrors(structOf(paramKind))),
    ...(matchConstraints === undefined ? [required('spec.matchConstraints')] : []),
    ...(matchConstraints === undefined ? [] : matchResourcesErrors(constraints, 'spec.matchConstraints')),
    ...(matchConstraints !== undefined && isWithoutRules ? [required('spec.matchConstraints.resourceRules')] : []),
    ...(expressions.areConditionsKept
      ? []
      : matchConditionErrors(listOf(spec.matchConditions), 'spec.matchConditions', expressions.condition)),
    ...listOf(spec.variables).flatMap((variable, index) => variableErrors(variable, index, expressions)),
    ...(listOf(validations).length === 0 && listOf(auditAnnotations).length === 0 ? withoutExpressions() : []),
    ...listOf(validations).flatMap((validation, index) => validationErrors(validation, index, expressions)),
    ...annotationErrors(listOf(auditAnnotations), name, expressions),
  ];
}

/** Validates a MutatingAdmissionPolicy, which this server refuses because it does not carry it out. */
export function mutatingPolicyErrors(): readonly FieldError[] {
  const detail =
    'the embedded API server does not carry out MutatingAdmissionPolicies: use a real API server, or a MutatingWebhookConfiguration';
  return [forbiddenField('spec', detail)];
}

function withoutExpressions(): readonly FieldError[] {
  const detail = 'validations or auditAnnotations must contain at least one item';
  return [required('spec.validations', detail), required('spec.auditAnnotations', detail)];
}

/** Warns of a name that the files of a server may have. Source: observed. */
export function policyNameWarnings({ metadata }: JsonObject): readonly string[] {
  const text = `metadata.name: names ending with ${JSON.stringify(staticSuffix)} are reserved for static manifest-based configurations and cannot be managed via the API`;
  return String(structOf(metadata).name ?? '').endsWith(staticSuffix) ? [text] : [];
}

/** A version of an API and the name of a kind, in lower case. */
const dnsLabel = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const dnsLabelText =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function paramKindErrors({ apiVersion, kind }: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [...apiVersionErrors(String(apiVersion ?? ''))];
  if (isBlank(kind)) errors.push(required('spec.paramKind.kind'));
  else if (!dnsLabel.test(String(kind).toLowerCase()))
    errors.push(invalidValue('spec.paramKind.kind', kind, `may have mixed case, but should otherwise match: ${dnsLabelText}`));
  return errors;
}

function apiVersionErrors(apiVersion: string): readonly FieldError[] {
  const field = 'spec.paramKind.apiVersion';
  if (apiVersion === '') return [required(field)];
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [version = '', group = ''] = parts.toReversed();
  return [
    ...(group !== '' && !isSubdomain(group) ? [invalidValue(field, group, nameTexts.subdomain.text)] : []),
    ...(version === '' ? [invalidValue(field, apiVersion, 'version must be specified')] : []),
    ...(version !== '' && !dnsLabel.test(version) ? [invalidValue(field, version, dnsLabelText)] : []),
  ];
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

function variableErrors({ name, expression }: JsonObject, index: number, expressions: PolicyExpressions): readonly FieldError[] {
  const path = `spec.variables[${index}]`;
  const isIdentifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(String(name)) && !reserved.has(String(name));
  return [
    ...(isBlank(name) ? [required(`${path}.name`, 'name is not specified')] : []),
    ...(isBlank(name) || isIdentifier ? [] : [invalidValue(`${path}.name`, name, 'must be a valid CEL identifier')]),
    ...(isBlank(expression)
      ? [required(`${path}.expression`, 'expression is not specified')]
      : expressions.variable(index, `${path}.expression`)),
  ];
}

function validationErrors(validation: JsonObject, index: number, expressions: PolicyExpressions): readonly FieldError[] {
  const path = `spec.validations[${index}]`;
  const { expression, message, messageExpression, reason } = validation;
  const isSet = (text: Json | undefined) => text !== undefined && text !== '';
  const blank = 'must be non-empty if specified';
  const ofMessage = isBlank(message) ? blank : hasLineBreaks(message) ? 'must not contain line breaks' : undefined;
  return [
    ...(isBlank(expression)
      ? [required(`${path}.expression`, 'expression is not specified')]
      : expressions.validation(String(expression), `${path}.expression`)),
    ...(!isSet(messageExpression)
      ? []
      : isBlank(messageExpression)
        ? [invalidValue(`${path}.messageExpression`, messageExpression, blank)]
        : expressions.message(String(messageExpression), `${path}.messageExpression`)),
    ...(isSet(message) && ofMessage !== undefined ? [invalidValue(`${path}.message`, message, ofMessage)] : []),
    ...(reason === undefined || reasons.includes(String(reason)) ? [] : [unsupported(`${path}.reason`, reason, reasons)]),
  ];
}

function annotationErrors(annotations: readonly JsonObject[], name: string, expressions: PolicyExpressions): readonly FieldError[] {
  const keys = annotations.map(({ key }) => String(key ?? ''));
  const field = 'spec.auditAnnotations';
  return [
    ...(annotations.length > maxAnnotations
      ? [invalidValue(field, annotations.map(shownAnnotation), `must not have more than ${maxAnnotations} auditAnnotations`)]
      : []),
    ...annotations.flatMap(({ valueExpression }, index) => {
      const path = `${field}[${index}]`;
      const key = keys[index] as string;
      return [
        ...keyErrors(name, key, `${path}.key`),
        ...annotationValueErrors(String(valueExpression ?? ''), `${path}.valueExpression`, expressions),
        ...(keys.indexOf(key) < index ? [duplicate(`${path}.key`, key)] : []),
      ];
    }),
  ];
}

/** Returns an annotation as messages show it: the members of the Go struct. */
function shownAnnotation({ key = '', valueExpression = '' }: JsonObject): Json {
  return { Key: key, ValueExpression: valueExpression };
}

function keyErrors(name: string, key: string, field: string): readonly FieldError[] {
  if (name === '') return [invalidValue(field, key, 'requires metadata.name be non-empty')];
  return qualifiedNameErrors(`${name}/${key}`).map((text) => invalidValue(field, `${name}/${key}`, text));
}

function annotationValueErrors(text: string, field: string, expressions: PolicyExpressions): readonly FieldError[] {
  if (isBlank(text)) return [required(field, 'valueExpression is not specified')];
  if (Buffer.byteLength(text.trim()) > maxAnnotationExpression)
    return [required(field, `must not exceed ${maxAnnotationExpression} bytes in length`)];
  return expressions.annotation(text, field);
}

/** Validates a ValidatingAdmissionPolicyBinding. Source: Kubernetes API reference, ValidatingAdmissionPolicyBindingSpec; messages as observed. */
export function policyBindingErrors(object: JsonObject): readonly FieldError[] {
  const { policyName, paramRef, matchResources, validationActions } = structOf(object.spec);
  return [
    ...(isBlank(policyName) ? [required('spec.policyName')] : subdomainErrors('spec.policyName', String(policyName))),
    ...(paramRef === undefined ? [] : paramRefErrors(structOf(paramRef))),
    ...(matchResources === undefined ? [] : matchResourcesErrors(structOf(matchResources), 'spec.matchResources')),
    ...actionErrors(Array.isArray(validationActions) ? (validationActions as readonly string[]) : []),
  ];
}

function paramRefErrors({ name, selector, parameterNotFoundAction }: JsonObject): readonly FieldError[] {
  const path = 'spec.paramRef';
  const hasBoth = !isBlank(name) && selector !== undefined;
  const exclusive = 'name and selector are mutually exclusive';
  const notFound = String(parameterNotFoundAction ?? '');
  return [
    ...(isBlank(name) ? [] : pathNameErrors(`${path}.name`, String(name))),
    ...(hasBoth ? [forbiddenField(`${path}.name`, exclusive)] : []),
    ...(selector === undefined ? [] : labelSelectorErrors(structOf(selector), `${path}.selector`)),
    ...(hasBoth ? [forbiddenField(`${path}.selector`, exclusive)] : []),
    ...(isBlank(name) && selector === undefined ? [required(path, 'one of name or selector must be specified')] : []),
    ...(notFound === '' ? [required(`${path}.parameterNotFoundAction`)] : []),
    ...(['', 'Deny', 'Allow'].includes(notFound) ? [] : [unsupported(`${path}.parameterNotFoundAction`, notFound, ['Deny', 'Allow'])]),
  ];
}

function actionErrors(declared: readonly string[]): readonly FieldError[] {
  const field = 'spec.validationActions';
  const both =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [
    ...declared.flatMap((action, index) => [
      ...(actions.includes(action) ? [] : [unsupported(`${field}[${index}]`, action, actions)]),
      ...(declared.indexOf(action) < index ? [duplicate(`${field}[${index}]`, action)] : []),
    ]),
    ...(declared.includes('Deny') && declared.includes('Warn') ? [invalidValue(field, declared as Json, both)] : []),
    ...(declared.length === 0 ? [required(field, 'at least one validation action is required')] : []),
  ];
}
