import type { JsonObject } from '../../src/util/json.js';

/** A policy of the campaign; each holds in a namespace of its own. */
export interface CampaignPolicy {
  readonly resources: readonly string[];
  readonly groups: readonly string[];
  readonly spec: JsonObject;
  readonly action: 'Deny' | 'Warn';
  readonly binding?: JsonObject;
  readonly constraints?: JsonObject;
}

const onWorkloads = { resources: ['deployments'], groups: ['apps'] };
const onMaps = { resources: ['configmaps'], groups: [''] };
const onServices = { resources: ['services'], groups: [''] };
const onWidgets = { resources: ['widgets'], groups: ['prove.example.com'] };
const rule = (expression: string, more: JsonObject = {}): JsonObject => ({ validations: [{ expression, ...more }] });
const params = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
const containers = 'object.spec.template.spec.containers';

/** Policies as clusters have them: limits, names, images, transitions, parameters, rights. */
export const campaignPolicies: readonly CampaignPolicy[] = [
  {
    ...onWorkloads,
    action: 'Deny',
    spec: rule('object == null || object.spec.replicas <= 3', { messageExpression: "'replicas are ' + string(object.spec.replicas)" }),
  },
  {
    ...onWorkloads,
    action: 'Warn',
    spec: rule(`object == null || ${containers}.all(c, has(c.resources.requests) && 'cpu' in c.resources.requests)`, {
      message: 'cpu is requested',
    }),
  },
  {
    ...onWorkloads,
    action: 'Deny',
    spec: rule(`object == null || ${containers}.all(c, !c.image.endsWith(':latest') && c.image.contains(':'))`, {
      reason: 'Forbidden',
      messageExpression: `'images: ' + ${containers}.map(c, string(c.image)).join(', ')`,
    }),
  },
  {
    ...onWorkloads,
    action: 'Deny',
    spec: rule('request.operation != "UPDATE" || object.spec.replicas >= oldObject.spec.replicas - 1', { message: 'at most one less' }),
  },
  { ...onWorkloads, action: 'Deny', spec: rule("has(object.metadata.labels) && 'team' in object.metadata.labels") },
  {
    ...onWorkloads,
    action: 'Warn',
    spec: {
      variables: [
        { name: 'images', expression: `${containers}.map(c, c.image)` },
        { name: 'tags', expression: "variables.images.map(i, string(i).split(':')[1])" },
      ],
      ...rule("variables.tags.all(t, t.matches('^[0-9]+$'))", { messageExpression: "variables.tags.join('-')" }),
    },
  },
  {
    ...onWorkloads,
    action: 'Deny',
    spec: {
      ...rule('false', { message: 'only with the label' }),
      matchConditions: [{ name: 'labeled', expression: "object != null && object.metadata.?labels.team.orValue('') == 'red'" }],
    },
  },
  { ...onWorkloads, action: 'Deny', spec: { ...rule('object.spec.template.spec.hostNetwork == false'), failurePolicy: 'Ignore' } },
  { ...onWorkloads, action: 'Deny', spec: rule('object.spec.template.spec.securityContext.runAsNonRoot == true') },
  { ...onWorkloads, action: 'Deny', spec: rule(`object == null || ${containers}.exists_one(c, c.name == 'main')`) },
  {
    ...onWorkloads,
    action: 'Warn',
    spec: rule(`object == null || quantity(${containers}[0].resources.limits.memory).isLessThan(quantity('1Gi'))`),
  },
  {
    ...onWorkloads,
    action: 'Deny',
    spec: rule('object == null || object.metadata.name.size() <= 2', {
      messageExpression: "request.name + ' in ' + namespaceObject.metadata.name + ' by ' + request.operation",
    }),
  },
  {
    ...onMaps,
    action: 'Deny',
    spec: {
      ...params,
      ...rule('object == null || object.data.size() <= int(params.data.most)', { messageExpression: "'at most ' + params.data.most" }),
    },
    binding: { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
  },
  {
    ...onMaps,
    action: 'Warn',
    spec: {
      ...params,
      ...rule('object == null || !(object.metadata.name in params.data)', {
        messageExpression: "params.metadata.name + ' forbids ' + object.metadata.name",
      }),
    },
    binding: { paramRef: { selector: { matchLabels: { kind: 'names' } }, parameterNotFoundAction: 'Allow' } },
  },
  { ...onMaps, action: 'Deny', spec: rule("request.operation != 'DELETE' || oldObject.data.color != 'red'", { message: 'red stays' }) },
  {
    ...onMaps,
    action: 'Deny',
    spec: rule("object == null || object.data.all(k, v, k.matches('^[a-z]+$') && v.size() < 8)", {
      messageExpression: "object.data.map(k, k).size() > 0 ? 'some of ' + string(object.data.size()) : ''",
    }),
  },
  { ...onMaps, action: 'Warn', spec: { auditAnnotations: [{ key: 'color', valueExpression: 'string(object.data.color)' }] } },
  {
    ...onMaps,
    action: 'Deny',
    spec: rule(
      "authorizer.requestResource.check('escalate').allowed() && !authorizer.serviceAccount('default', 'x').group('').resource('configmaps').check('get').allowed()",
    ),
  },
  { ...onMaps, action: 'Deny', spec: rule("object == null || object.data.color in ['red', 'green'] || int(object.data.size) > 3") },
  {
    ...onMaps,
    action: 'Deny',
    spec: rule('object == null || oldObject == null || object.data.color == oldObject.data.color', { reason: 'RequestEntityTooLarge' }),
  },
  {
    ...onMaps,
    action: 'Warn',
    spec: rule('true'),
    constraints: { objectSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['red'] }] } },
  },
  {
    ...onMaps,
    action: 'Deny',
    spec: rule('false'),
    constraints: {
      objectSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['red'] }] },
      excludeResourceRules: [{ apiGroups: [''], apiVersions: ['*'], operations: ['DELETE'], resources: ['*'] }],
    },
  },
  {
    ...onServices,
    action: 'Deny',
    spec: rule("object == null || object.spec.type != 'NodePort'", { messageExpression: "'no ' + object.spec.type" }),
  },
  {
    ...onServices,
    action: 'Warn',
    spec: rule('object == null || object.spec.ports.all(p, p.port < 1024 && p.targetPort == p.port)', {
      messageExpression: "object.spec.ports.map(p, string(p.port)).join(' ')",
    }),
  },
  {
    ...onServices,
    action: 'Deny',
    spec: rule("request.dryRun || object == null || object.spec.?sessionAffinity.orValue('None') == 'None'"),
  },
  { ...onWidgets, action: 'Deny', spec: rule("object == null || object.spec.color != 'red'", { message: 'no red' }) },
  {
    ...onWidgets,
    action: 'Warn',
    spec: rule('object == null || oldObject == null || object.spec == oldObject.spec', { message: 'it changes' }),
  },
  {
    resources: ['deployments/scale'],
    groups: ['apps'],
    action: 'Deny',
    spec: rule('object.spec.replicas % 2 == 0', {
      messageExpression: "string(oldObject.spec.replicas) + ' to ' + string(object.spec.replicas)",
    }),
  },
];

const rules = (...list: readonly (readonly [rule: string, message: string])[]): JsonObject => ({
  'x-kubernetes-validations': list.map(([each, message]) => ({ rule: each, message })),
});

/** The definition of the widgets of the campaign, whose rules decide beside the policies: bounds, transitions, and values that may stay. */
export const campaignDefinition: JsonObject = {
  metadata: { name: 'widgets.prove.example.com' },
  spec: {
    group: 'prove.example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 1, maximum: 4, ...rules(['self != 3', 'not three']) },
                  color: { type: 'string', maxLength: 9, ...rules(['self == oldSelf || self != "blue"', 'never becomes blue']) },
                  parts: {
                    type: 'array',
                    maxItems: 4,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string', maxLength: 9 }, count: { type: 'integer' } },
                      ...rules(['!has(self.count) || self.count <= 2', 'at most two']),
                    },
                  },
                },
                ...rules(
                  ['!has(self.parts) || self.parts.size() <= self.size', 'more parts than its size'],
                  ['!has(oldSelf.color) || has(self.color)', 'keeps a color'],
                ),
              },
            },
          },
        },
      },
    ],
  },
};
