import type { JsonObject } from '../../../../src/util/json.js';

const ok = { validations: [{ expression: 'true' }] };
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
const matching = (...resourceRules: readonly JsonObject[]) => ({ ...ok, matchConstraints: { resourceRules } });
const validation = (expression: string, more: JsonObject = {}): JsonObject => ({ validations: [{ expression, ...more }] });

/** Specs of policies that a server refuses, and some that it accepts. */
export const policySpecs: readonly JsonObject[] = [
  ok,
  {},
  { ...ok, matchConstraints: {} },
  { ...ok, failurePolicy: 'Maybe' },
  { ...ok, matchConstraints: { resourceRules: [rule], matchPolicy: 'Similar' } },
  { ...ok, matchConstraints: { resourceRules: [rule], objectSelector: { matchLabels: { 'a b': 'c' } } } },
  { ...ok, matchConstraints: { resourceRules: [rule], namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
  matching({ ...rule, operations: [] }),
  matching({ ...rule, operations: ['*', 'CREATE'] }),
  matching({ ...rule, operations: ['PATCH'] }),
  matching({ ...rule, apiGroups: [] }, { ...rule, apiGroups: ['*', ''] }),
  matching({ ...rule, apiVersions: [] }, { ...rule, apiVersions: ['*', 'v1'] }, { ...rule, apiVersions: [''] }),
  matching({ ...rule, resources: [] }, { ...rule, resources: [''] }, { ...rule, resources: ['*/*', 'pods'] }),
  matching(
    { ...rule, resources: ['*', 'pods'] },
    { ...rule, resources: ['pods/*', 'pods/status'] },
    { ...rule, resources: ['*/scale', 'a/scale'] },
  ),
  matching({ ...rule, scope: 'Global' }),
  matching({ ...rule, resourceNames: ['a', 'a', 'b/c', '..'] }),
  { ...ok, matchConstraints: { resourceRules: [rule], excludeResourceRules: [{ ...rule, operations: ['X'] }] } },
  { ...ok, paramKind: {} },
  { ...ok, paramKind: { apiVersion: 'a/b/c', kind: 'A B' } },
  { ...ok, paramKind: { apiVersion: 'A/v1', kind: 'Thing' } },
  { ...ok, paramKind: { apiVersion: 'a/', kind: 'Thing' } },
  { ...ok, paramKind: { apiVersion: 'a/1v', kind: 'Thing' } },
  { ...ok, matchConditions: [{ name: '', expression: '' }] },
  { ...ok, matchConditions: [{ name: 'a b', expression: '1' }] },
  {
    ...ok,
    matchConditions: [
      { name: 'a', expression: 'true' },
      { name: 'a', expression: 'variables.x' },
    ],
  },
  { ...ok, matchConditions: [{ name: 'a', expression: ' params.x == 1 ' }] },
  { ...ok, matchConditions: Array.from({ length: 65 }, (_, index) => ({ name: `c${index}`, expression: 'true' })) },
  { ...ok, variables: [{ name: '', expression: '' }] },
  {
    ...ok,
    variables: [
      { name: 'in', expression: 'true' },
      { name: 'a-b', expression: 'x' },
    ],
  },
  {
    ...ok,
    variables: [
      { name: 'a', expression: 'variables.b' },
      { name: 'b', expression: '1' },
    ],
  },
  { variables: [{ name: 'a', expression: "'x'" }], ...validation('variables.a == 1') },
  {
    variables: [
      { name: 'a', expression: 'request' },
      { name: 'b', expression: '[1]' },
      { name: 'c', expression: "{'a': 1}" },
    ],
    ...validation('variables.a.x && variables.b == 1 && variables.c.x == "y"'),
  },
  { variables: [{ name: 'a', expression: 'x' }], ...validation('variables.a == 1') },
  validation(''),
  validation('object.'),
  validation('object.x'),
  validation('1 + 1'),
  validation('null'),
  validation("timestamp('2024-01-01T00:00:00Z')"),
  validation("['a']"),
  validation('[1, "a"] == []'),
  validation('request'),
  validation('authorizer'),
  validation("authorizer.group('a')"),
  validation("authorizer.group('a').allowed()"),
  validation('authorizer.x'),
  validation('request.object'),
  validation('request.uid == ""'),
  validation('namespaceObject.metadata.managedFields.size() == 0'),
  validation('namespaceObject.metadata.name == 1'),
  validation('variables.a'),
  validation('params.x == 1'),
  validation('self.x == 1'),
  validation("object.x.matches('[')"),
  validation("duration('x') == duration('1s')"),
  validation('int("x") == 1'),
  validation('object.spec.exists(x, x.a = 1)'),
  validation('true', { message: ' ' }),
  validation('true', { message: 'a\nb' }),
  validation('true', { messageExpression: ' ' }),
  validation('true', { messageExpression: '1' }),
  validation('true', { messageExpression: 'object.x' }),
  validation('true', { messageExpression: "authorizer.path('/').check('get').reason()" }),
  validation('true', { reason: 'Conflict' }),
  validation('true', { reason: 'Unauthorized' }),
  validation('true\n  && true'),
  { auditAnnotations: [{ key: '', valueExpression: '' }] },
  {
    auditAnnotations: [
      { key: 'a b', valueExpression: '1' },
      { key: 'a', valueExpression: ' null ' },
      { key: 'a', valueExpression: "'x'" },
    ],
  },
  { auditAnnotations: [{ key: 'a', valueExpression: 'object.x' }] },
  { auditAnnotations: [{ key: 'a', valueExpression: `'${'x'.repeat(5200)}'` }] },
  { auditAnnotations: Array.from({ length: 21 }, (_, index) => ({ key: `a${index}`, valueExpression: 'null' })) },
];

const deny = { policyName: 'some', validationActions: ['Deny'] };

/** Specs of bindings that a server refuses, and some that it accepts. */
export const bindingSpecs: readonly JsonObject[] = [
  deny,
  {},
  { ...deny, policyName: 'A_b' },
  { ...deny, validationActions: [] },
  { ...deny, validationActions: ['Refuse'] },
  { ...deny, validationActions: ['Deny', 'Deny'] },
  { ...deny, validationActions: ['Deny', 'Warn'] },
  { ...deny, validationActions: ['Audit', 'Deny'] },
  { ...deny, paramRef: {} },
  { ...deny, paramRef: { name: 'a/b', parameterNotFoundAction: 'Deny' } },
  { ...deny, paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
  { ...deny, paramRef: { name: 'a', parameterNotFoundAction: 'Ask' } },
  { ...deny, paramRef: { selector: { matchLabels: { 'a b': 'c' } }, parameterNotFoundAction: 'Allow' } },
  { ...deny, matchResources: { resourceRules: [{ ...rule, operations: [] }], matchPolicy: 'X' } },
  { ...deny, matchResources: { resourceRules: [rule] } },
];
