import { createHash } from 'node:crypto';
import { groupOf } from '../../assembly/identity.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import { admissionGroup } from '../../engine/apply/skip/observers/admission-kinds.js';
import { type Guard, guardAnnotation, guardLabels } from '../../engine/guards/guard-manifest.js';
import { type StackIdentity, shardName } from '../../engine/inventory/stack-identity.js';
import type { Resource } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import { ChangedFields, literal, stateVariables } from './changed-fields.js';
import type { GuardedField } from './guarded-fields.js';
import { type GuardedGroup, type GuardedObject, splitIntoPolicies } from './split-into-policies.js';
import type { Subjects } from './subjects.js';

/** The objects of one stack, kind and namespace, and who may change their guarded fields. */
export interface GuardRequest {
  readonly stack: StackIdentity;
  readonly deployers: Subjects;
  /** A group that is exempt; absent if there is none. */
  readonly breakGlass?: string;
  readonly deny: boolean;
  readonly resource: Pick<Resource, 'apiVersion' | 'kind' | 'plural'>;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly lifecycle: Lifecycle;
  /** Subresources through which the whole object is written, such as `status`. */
  readonly subresources: readonly string[];
  readonly objects: readonly GuardedObject[];
}

/**
 * Returns ValidatingAdmissionPolicies, each with its binding: for the objects, for the replicas of their scale subresource, and for what a
 * Binding writes into a Pod. They are the same for the same request, whatever the values of the fields. Source: Kubernetes documentation
 * "Validating Admission Policy".
 */
export function guardPolicies(request: GuardRequest): readonly JsonObject[] {
  const { resource, subresources, lifecycle, objects } = request;
  const whole: PolicyScope = {
    resources: ['', ...subresources.map((name) => `/${name}`)].map((name) => resource.plural + name),
    operations: lifecycle === 'own' ? ['CREATE', 'UPDATE', 'DELETE'] : ['UPDATE'],
    part: '',
  };
  const scale: PolicyScope = { resources: [`${resource.plural}/scale`], operations: ['UPDATE'], part: 'scale' };
  const scaled = objects.flatMap(({ name, replicas }) => (replicas === undefined ? [] : [{ name, fields: [replicas] }]));
  const isPod = resource.apiVersion === 'v1' && resource.kind === 'Pod';
  const bound = isPod ? objects.map(({ name, fields }) => ({ name, fields: fields.filter(isCopiedFromBinding) })) : [];
  return (
    [
      [whole, objects],
      [scale, scaled],
      [bindingScope, bound],
    ] as const
  ).flatMap(([scope, of]) => splitIntoPolicies(of).flatMap((groups, index) => policyAndBinding(request, scope, groups, index)));
}

interface PolicyScope {
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  /** Distinguishes the names of policies of one request; empty for those of the objects themselves. */
  readonly part: string;
  /** Users beside the deployers who are exempt. */
  readonly exempt?: readonly string[];
}

/** A Binding has no old object, so that each guarded field in it counts as changed. The scheduler's have those that its server adds. */
const bindingScope: PolicyScope = {
  resources: ['pods/binding', 'bindings'],
  operations: ['CREATE'],
  part: 'binding',
  exempt: ['system:kube-scheduler'],
};

/** Returns true for the labels and annotations of a Pod, which a server takes from its Binding (observed on 1.36). */
function isCopiedFromBinding({ path: [metadata, map] }: GuardedField): boolean {
  return metadata?.kind === 'field' && metadata.name === 'metadata' && map?.kind === 'field' && /^(labels|annotations)$/.test(map.name);
}

function policyAndBinding(
  request: GuardRequest,
  scope: PolicyScope,
  groups: readonly GuardedGroup[],
  index: number,
): readonly JsonObject[] {
  const { stack, deployers, breakGlass, deny, resource, namespace } = request;
  const name = policyName(request, scope.part, index);
  const subjects = [...deployers.texts, ...(breakGlass === undefined ? [] : [`group:${breakGlass}`])];
  const guard: Guard = {
    manager: stack.manager,
    subjects,
    ...(deny ? { deny } : {}),
    group: groupOf(resource.apiVersion),
    kind: resource.kind,
    ...(namespace === undefined ? {} : { namespace }),
    objects: groups.map(({ names, fields }) => ({ names, fields: fields.map(({ text }) => text) })),
  };
  const labels = guardLabels(stack);
  return [
    {
      apiVersion: `${admissionGroup}/v1`,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels },
      spec: policySpec(request, scope, groups),
    },
    {
      apiVersion: `${admissionGroup}/v1`,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name, labels, annotations: { [guardAnnotation]: JSON.stringify(guard) } },
      spec: { policyName: name, validationActions: [deny ? 'Deny' : 'Warn', 'Audit'] },
    },
  ];
}

function policySpec(request: GuardRequest, scope: PolicyScope, groups: readonly GuardedGroup[]): JsonObject {
  const { resource, namespace, lifecycle } = request;
  const { resources, operations } = scope;
  const isObject = scope.part === '';
  const isOwned = isObject && lifecycle === 'own';
  const group = groupOf(resource.apiVersion);
  const changed = new ChangedFields();
  const lists = groups.map(({ fields }, index) => ({ name: `changed${index + 1}`, expression: changed.changed(fields) }));
  const rule = { apiGroups: [group], apiVersions: [resource.apiVersion.slice(group === '' ? 0 : group.length + 1)], operations, resources };
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      ...(namespace === undefined ? {} : { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }),
      resourceRules: [rule],
    },
    matchConditions: matchConditions(request, groups, scope),
    variables: [
      { name: 'name', expression: objectName },
      ...stateVariables,
      ...changed.variables,
      ...lists,
      ...(isOwned ? ownerVariables : []),
      ...(isObject ? entryVariables(request.stack.manager) : []),
    ] as unknown as readonly JsonObject[],
    validations: [
      ...groups.map(({ names }, index) => fieldValidation(request, names, `variables.changed${index + 1}`, operations)),
      ...(isOwned ? [ownerValidation(request), deleteValidation(request)] : []),
      ...(isObject ? [entryValidation(request)] : []),
    ],
  };
}

/** The name of the object. A deletion of a collection has no name in its request, and a deletion no new object. */
const objectName = '(object == null ? oldObject : object).metadata.name';

/** Returns the conditions under which the validations are evaluated at all. */
function matchConditions(
  { deployers, breakGlass }: GuardRequest,
  groups: readonly GuardedGroup[],
  { operations, exempt: exemptUsers = [] }: PolicyScope,
): readonly JsonObject[] {
  const names = [...new Set(groups.flatMap((group) => group.names))].sort();
  const users = [...deployers.users, ...exemptUsers];
  const exempt = [...deployers.groups, ...(breakGlass === undefined ? [] : [breakGlass])];
  const deletion = "request.operation == 'DELETE'";
  return [
    { name: 'guarded-object', expression: `${objectName} in ${literal(names)}` },
    {
      name: 'not-a-deployer',
      expression: [
        ...(users.length > 0 ? [`!(request.userInfo.username in ${literal(users)})`] : []),
        ...(exempt.length > 0 ? [`!request.userInfo.?groups.orValue([]).exists(group, group in ${literal(exempt)})`] : []),
      ].join(' && '),
    },
    ...(operations.includes('DELETE')
      ? [
          { name: 'not-being-deleted', expression: `!(${deletion} && has(oldObject.metadata.deletionTimestamp))` },
          { name: 'not-a-collector', expression: `!(${deletion} && request.userInfo.username in ${literal(collectors)})` },
        ]
      : []),
  ];
}

/** Controllers that carry out deletions which somebody else decided: of a Namespace, an owner, a node, or after a time. */
const collectors = [
  'generic-garbage-collector',
  'namespace-controller',
  'pod-garbage-collector',
  'taint-eviction-controller',
  'ttl-after-finished-controller',
]
  .map((name) => `system:serviceaccount:kube-system:${name}`)
  .concat('system:kube-controller-manager', 'system:kube-scheduler');

function fieldValidation(request: GuardRequest, names: readonly string[], changed: string, operations: readonly string[]): JsonObject {
  const object = objectPrefix(request);
  const next = 'Change the program of the stack and deploy it, or leave these fields out of your change.';
  const only = `and only ${request.deployers.texts.join(', ')} may change them. ${next}`;
  const owner = stackText(request.stack);
  return {
    expression: [
      ...(operations.includes('DELETE') ? ["request.operation == 'DELETE'"] : []),
      `!(variables.name in ${literal(names)})`,
      `${changed}.size() == 0`,
    ].join(' || '),
    // A messageExpression has a limit of 5 KiB: this text is shown beyond it.
    message: `${owner} owns fields that this request changes, ${only}`,
    messageExpression: `${literal(`${owner} owns `)} + ${changed}.join(', ') + ${literal(` of ${object}`)} + variables.name + ${literal(`, ${only}`)}`,
    reason: 'Forbidden',
  };
}

/** The owners of the new and the old object, as far as the garbage collector looks at them. */
const ownerVariables = ['new', 'old'].map((state) => ({
  name: `${state}Owners`,
  expression: `${metadataList(state, 'ownerReferences')}.map(item, [item.?apiVersion, item.?kind, item.?name, item.?uid])`,
}));

/** Returns an expression with a list of the metadata of a state; empty if it has none. */
function metadataList(state: string, name: string): string {
  return `variables.${state}.?metadata.?${name}.optMap(entries, type(entries) == list ? entries : []).orValue([])`;
}

/** Returns a validation against owners that a request adds: the garbage collector deletes an object whose owners do not exist. */
function ownerValidation(request: GuardRequest): JsonObject {
  return objectValidation(
    request,
    "request.operation == 'DELETE' || variables.newOwners.all(item, item in variables.oldOwners)",
    'add an owner to its metadata.ownerReferences, because the object would be deleted with that owner. Leave the owner out of your change.',
  );
}

function deleteValidation(request: GuardRequest): JsonObject {
  return objectValidation(request, "request.operation != 'DELETE'", 'delete it. Remove it from the program of the stack and deploy that.');
}

/**
 * Returns variables that say whether the new and the old object have the entry of managedFields by which the stack owns its fields: the one that
 * `isApplyEntryOf` finds, of the object itself.
 */
function entryVariables(manager: string) {
  return ['new', 'old'].map((state) => ({
    name: `${state}Entry`,
    expression: `${metadataList(state, 'managedFields')}.exists(entry, entry.?manager.orValue('') == ${literal(manager)} && entry.?operation.orValue('') == 'Apply' && entry.?subresource.orValue('') == '')`,
  }));
}

/** Returns a validation against writes of managedFields that leave out the stack: it would release what it owns, and not delete it. */
function entryValidation(request: GuardRequest): JsonObject {
  return objectValidation(
    request,
    "request.operation != 'UPDATE' || !variables.oldEntry || variables.newEntry",
    `take the stack's entry out of its metadata.managedFields. Leave managedFields out of your change.`,
  );
}

/** Returns a validation of what only the deployers may do to an object as a whole, and of what others do instead. */
function objectValidation(request: GuardRequest, expression: string, what: string): JsonObject {
  const owner = `${stackText(request.stack)} owns ${request.lifecycle === 'own' ? '' : 'fields of '}`;
  const only = `, and only ${request.deployers.texts.join(', ')} may ${what}`;
  return {
    expression,
    message: `${owner}this object${only}`,
    messageExpression: `${literal(owner + objectPrefix(request))} + variables.name + ${literal(only)}`,
    reason: 'Forbidden',
  };
}

function stackText({ app, instance, stack }: StackIdentity): string {
  return `Stack ${app}/${instance}/${stack}`;
}

/** Returns the text before the name of an object: `Deployment shop/`. */
function objectPrefix({ resource, namespace }: GuardRequest): string {
  return `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}`;
}

/** Returns a readable, valid and unique name. */
function policyName({ stack, resource, namespace, lifecycle }: GuardRequest, part: string, index: number): string {
  const group = groupOf(resource.apiVersion);
  const identity = JSON.stringify([group, resource.plural, namespace, lifecycle, part, index]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 10);
  const readable = [resource.plural, part].filter((text) => text !== '').join('-');
  return `guard.${shardName(stack, 0)}.${readable}.${hash}`;
}
