import type { JsonObject } from '../../util/json.js';
import { at, compareTexts, conditionOf, countAt, listAt, numberAt, or, textAt, textsAt } from './cells.js';
import { ageColumn, type Column, createdColumn, integer, kind, type TableKind, text, wide } from './column.js';
import { durationText } from './duration.js';

function subjects(kindName: string): Column['cell'] {
  return (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => subject.kind === kindName)
      .map((subject) =>
        kindName === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}` : textAt(subject, 'name'),
      )
      .join(', ');
}

const binding = kind(
  text('Role', (object) => `${textAt(object, 'roleRef.kind')}/${textAt(object, 'roleRef.name')}`),
  ageColumn,
  ...wide(text('Users', subjects('User')), text('Groups', subjects('Group')), text('ServiceAccounts', subjects('ServiceAccount'))),
);

const webhooks = kind(
  integer('Webhooks', (object) => countAt(object, 'webhooks')),
  ageColumn,
);

const paramKind = text('ParamKind', (policy) => {
  const parameters = at(policy, 'spec.paramKind');
  return parameters === undefined ? '<unset>' : `${textAt(parameters, 'apiVersion')}/${textAt(parameters, 'kind')}`;
});

const policyBinding = kind(text('PolicyName', 'spec.policyName'), text('ParamRef', paramText), ageColumn);

function paramText(object: JsonObject): string {
  const reference = at(object, 'spec.paramRef');
  if (reference === undefined) return '<unset>';
  const name = textAt(reference, 'name');
  if (name !== '') return `${or(textAt(reference, 'namespace'), '*')}/${name}`;
  return goSelector(at(reference, 'selector') as JsonObject | undefined);
}

/** Formats a selector as a Go struct. Source: observed. */
function goSelector(selector: JsonObject | undefined): string {
  const labels = Object.entries((selector?.matchLabels ?? {}) as JsonObject).toSorted(([left], [right]) => compareTexts(left, right));
  const expressions = listAt(selector, 'matchExpressions').map(
    (each) => `LabelSelectorRequirement{Key:${each.key},Operator:${each.operator},Values:[${textsAt(each, 'values').join(' ')}],},`,
  );
  const map = labels.map(([name, value]) => `${name}: ${value},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${map}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

function requestCondition(request: JsonObject): string {
  const conditions = listAt(request, 'status.conditions').map(({ type }) => String(type));
  const decision = ['Denied', 'Approved'].find((type) => conditions.includes(type)) ?? 'Pending';
  const parts = [decision, conditions.includes('Failed') ? 'Failed' : '', textAt(request, 'status.certificate') === '' ? '' : 'Issued'];
  return parts.filter((part) => part !== '').join(',');
}

function requestedDuration(request: JsonObject): string {
  const seconds = at(request, 'spec.expirationSeconds');
  return typeof seconds === 'number' ? durationText(seconds * 1000) : '<none>';
}

function apiServiceName(service: JsonObject): string {
  const reference = at(service, 'spec.service');
  return reference === undefined ? 'Local' : `${textAt(reference, 'namespace')}/${textAt(reference, 'name')}`;
}

function available(service: JsonObject): string {
  const condition = conditionOf(service, 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' ? 'True' : `${condition.status} (${condition.reason})`;
}

/** Returns a column of a limited priority level's queues. */
function ofQueues(name: string, member: string): Column {
  return text(name, (level) => at(level, `spec.limited.limitResponse.queuing.${member}`) ?? '<none>');
}

export const policyTables: Readonly<Record<string, TableKind>> = {
  'rbac.authorization.k8s.io/Role': kind(createdColumn),
  'rbac.authorization.k8s.io/ClusterRole': kind(createdColumn),
  'rbac.authorization.k8s.io/RoleBinding': binding,
  'rbac.authorization.k8s.io/ClusterRoleBinding': binding,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': kind(
    integer('Mutations', (policy) => countAt(policy, 'spec.mutations')),
    paramKind,
    ageColumn,
  ),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': kind(
    integer('Validations', (policy) => countAt(policy, 'spec.validations')),
    paramKind,
    ageColumn,
  ),
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': policyBinding,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': policyBinding,
  'apiextensions.k8s.io/CustomResourceDefinition': kind(createdColumn),
  'apiregistration.k8s.io/APIService': kind(text('Service', apiServiceName), text('Available', available), ageColumn),
  'certificates.k8s.io/CertificateSigningRequest': kind(
    ageColumn,
    text('SignerName', 'spec.signerName', '<none>'),
    text('Requestor', 'spec.username'),
    text('RequestedDuration', requestedDuration),
    text('Condition', requestCondition),
  ),
  'flowcontrol.apiserver.k8s.io/FlowSchema': {
    ...kind(
      text('PriorityLevel', 'spec.priorityLevelConfiguration.name'),
      text('MatchingPrecedence', (schema) => numberAt(schema, 'spec.matchingPrecedence')),
      text('DistinguisherMethod', 'spec.distinguisherMethod.type', '<none>'),
      ageColumn,
      text('MissingPL', (schema) => String(conditionOf(schema, 'Dangling')?.status ?? '?')),
    ),
    compare: (left, right) =>
      numberAt(left, 'spec.matchingPrecedence') - numberAt(right, 'spec.matchingPrecedence') ||
      compareTexts(textAt(left, 'metadata.name'), textAt(right, 'metadata.name')),
  },
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': kind(
    text('Type', 'spec.type'),
    text('NominalConcurrencyShares', 'spec.limited.nominalConcurrencyShares', '<none>'),
    ofQueues('Queues', 'queues'),
    ofQueues('HandSize', 'handSize'),
    ofQueues('QueueLengthLimit', 'queueLengthLimit'),
    ageColumn,
  ),
};
