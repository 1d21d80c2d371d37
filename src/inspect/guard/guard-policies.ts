import { createHash } from 'node:crypto';
import { groupOf } from '../../assembly/identity.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import { admissionGroup } from '../../engine/apply/skip/observers/admission-kinds.js';
import { type Guard, guardAnnotation, guardLabels } from '../../engine/guards/guard-manifest.js';
import { type StackIdentity, shardName } from '../../engine/inventory/stack-identity.js';
import type { Resource } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import { ChangedFields, literal, stateVariables } from './changed-fields.js';
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
 * Returns ValidatingAdmissionPolicies, each with its binding: for the objects, and for the replicas of their scale subresource. They are
 * the same for the same request, whatever the values of the fields. Source: Kubernetes documentation "Validating Admission Policy".
 */
export function guardPolicies(request: GuardRequest): readonly JsonObject[] {
  const { resource, subresources, lifecycle, objects } = request;
  const operations = lifecycle === 'own' ? ['CREATE', 'UPDATE', 'DELETE'] : ['UPDATE'];
  const whole = { resources: ['', ...subresources.map((name) => `/${name}`)].map((name) => resource.plural + name), operations, part: '' };
  const scale = { resources: [`${resource.plural}/scale`], operations: ['UPDATE'], part: 'scale' };
  const scaled = objects.flatMap(({ name, replicas }) => (replicas === undefined ? [] : [{ name, fields: [replicas] }]));
  return [
    ...splitIntoPolicies(objects).flatMap((groups, index) => policyAndBinding(request, whole, groups, index)),
    ...splitIntoPolicies(scaled).flatMap((groups, index) => policyAndBinding(request, scale, groups, index)),
  ];
}

interface PolicyScope {
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  /** Distinguishes the names of policies of one request. */
  readonly part: string;
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

function policySpec(request: GuardRequest, { resources, operations }: PolicyScope, groups: readonly GuardedGroup[]): JsonObject {
  const { resource, namespace } = request;
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
    matchConditions: matchConditions(request, groups, operations),
    variables: [
      { name: 'name', expression: objectName },
      ...stateVariables,
      ...changed.variables,
      ...lists,
    ] as unknown as readonly JsonObject[],
    validations: [
      ...groups.map(({ names }, index) => fieldValidation(request, names, `variables.changed${index + 1}`, operations)),
      ...(operations.includes('DELETE') ? [deleteValidation(request)] : []),
    ],
  };
}

/** The name of the object. A deletion of a collection has no name in its request, and a deletion no new object. */
const objectName = '(object == null ? oldObject : object).metadata.name';

/** Returns the conditions under which the validations are evaluated at all. */
function matchConditions(
  { deployers, breakGlass }: GuardRequest,
  groups: readonly GuardedGroup[],
  operations: readonly string[],
): readonly JsonObject[] {
  const names = [...new Set(groups.flatMap((group) => group.names))].sort();
  const exempt = [...deployers.groups, ...(breakGlass === undefined ? [] : [breakGlass])];
  const deletion = "request.operation == 'DELETE'";
  return [
    { name: 'guarded-object', expression: `${objectName} in ${literal(names)}` },
    {
      name: 'not-a-deployer',
      expression: [
        ...(deployers.users.length > 0 ? [`!(request.userInfo.username in ${literal(deployers.users)})`] : []),
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

function deleteValidation(request: GuardRequest): JsonObject {
  const owner = `${stackText(request.stack)} owns `;
  const only = `, and only ${request.deployers.texts.join(', ')} may delete it. Remove it from the program of the stack and deploy that.`;
  return {
    expression: "request.operation != 'DELETE'",
    message: `${owner}this object${only}`,
    messageExpression: `${literal(owner + objectPrefix(request))} + variables.name + ${literal(only)}`,
    reason: 'Forbidden',
  };
}

function stackText({ app, instance, stack }: StackIdentity): string {
  return `Stack ${stack} of app ${app}${instance === 'default' ? '' : `, instance ${instance},`}`;
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
