import type { Environment } from '../cel/check/environment.js';
import { authorizerType, resourceCheckType } from '../cel/functions/authorizer.js';
import { kubernetesFunctions } from '../cel/kubernetes-environment.js';
import {
  boolType,
  type CelType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectType,
  parameter,
  stringType,
  timestampType,
} from '../cel/types/cel-type.js';

const texts = listOf(stringType);
const textMap = mapOf(stringType, stringType);
const struct = (name: string, fields: Readonly<Record<string, CelType>>) =>
  objectType(`kubernetes.${name}`, new Map(Object.entries(fields)));
const textStruct = (name: string, fields: readonly string[]) =>
  struct(name, Object.fromEntries(fields.map((field) => [field, stringType])));

const groupVersionKind = textStruct('GroupVersionKind', ['group', 'version', 'kind']);
const groupVersionResource = textStruct('GroupVersionResource', ['group', 'version', 'resource']);

const requestType = struct('AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: stringType,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: struct('UserInfo', { username: stringType, uid: stringType, groups: texts, extra: mapOf(stringType, texts) }),
  dryRun: boolType,
  options: dynType,
});

const namespaceType = struct('Namespace', {
  metadata: struct('NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: textMap,
    annotations: textMap,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
  spec: struct('NamespaceSpec', { finalizers: texts }),
  status: struct('NamespaceStatus', {
    conditions: listOf(
      struct('NamespaceCondition', {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});

/** The name of the variable that checks access to the resource of the request. */
export const requestResource = 'authorizer.requestResource';

/** The names that expressions of a policy may use, beside the object and the request. */
export interface Declarations {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** The types of the variables of the policy; undefined where expressions cannot name variables. */
  readonly variables: ReadonlyMap<string, CelType> | undefined;
}

/**
 * Returns the names and types that expressions of a policy may use.
 * Source: Kubernetes API reference, ValidatingAdmissionPolicySpec, "expression"; types of variables as observed.
 */
export function policyEnvironment({ hasParams, hasAuthorizer, variables }: Declarations): Environment {
  const names = new Map<string, CelType>([
    ['object', dynType],
    ['oldObject', dynType],
    ['namespaceObject', namespaceType],
    ['request', requestType],
  ]);
  if (hasParams) names.set('params', dynType);
  if (hasAuthorizer) names.set('authorizer', authorizerType).set(requestResource, resourceCheckType);
  if (variables !== undefined) names.set('variables', objectType('kubernetes.variables', variables));
  return { variables: names, functions: kubernetesFunctions() };
}

/** Returns the type by which other expressions know a variable: messages and the types of libraries become `dyn`. Source: observed. */
export function variableType(type: CelType): CelType {
  switch (type.kind) {
    case 'list':
      return listOf(variableType(parameter(type, 0)));
    case 'map':
      return mapOf(variableType(parameter(type, 0)), variableType(parameter(type, 1)));
    case 'object':
    case 'opaque':
    case 'type':
    case 'param':
      return dynType;
    default:
      return type;
  }
}
