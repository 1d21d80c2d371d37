import type { JsonObject } from '../../lib/src/util/json.js';

export const policyCount = 10;

const names = Array.from({ length: policyCount }, (_, index) => `bench-${index}`);

/** Policies that look at every Deployment and deny none, with their bindings: the path of each below its API, and the object. */
export const benchPolicies: readonly (readonly [path: string, object: JsonObject])[] = names.flatMap((name) => [
  ['validatingadmissionpolicies', policy(name)] as const,
  ['validatingadmissionpolicybindings', { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } }] as const,
]);

function policy(name: string): JsonObject {
  const resourceRules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] }];
  const validations = [
    "variables.containers.all(c, c.image.matches('^[a-z0-9./-]+(:[a-z0-9.-]+)?$'))",
    'object.spec.replicas <= 100',
    "object.metadata.name.size() < 100 && !object.metadata.name.startsWith('kube-')",
    'oldObject == null || object.spec.selector == oldObject.spec.selector',
  ].map((expression) => ({ expression, messageExpression: `object.metadata.name + ' is refused by ${name}'` }));
  return {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules },
      matchConditions: [{ name: 'not-exempt', expression: "!('exempt' in object.metadata.?labels.orValue({}))" }],
      variables: [{ name: 'containers', expression: 'object.spec.template.spec.containers' }],
      validations,
    },
  };
}
