import type { JsonObject } from '../../../../src/util/json.js';

/** A request of a case. The path is below the namespace of the test, and `NAME` in it stands for the name of the case. */
export interface CaseRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  /** @default 'configmaps' */
  readonly resource?: string;
  /** Name and subresource. */
  readonly path?: string;
  readonly body?: JsonObject;
  readonly query?: string;
  readonly type?: string;
}

/** A policy with its bindings, and requests that it decides on in turn. */
export interface PolicyCase {
  readonly name: string;
  readonly spec: JsonObject;
  /** @default one that denies */
  readonly bindings?: readonly JsonObject[];
  readonly requests: readonly CaseRequest[];
}

/** ConfigMaps of the namespace that some policies have as parameters. */
export const paramObjects: readonly JsonObject[] = [
  { metadata: { name: 'param-one', labels: { param: 'yes' } }, data: { most: '1', color: 'red' } },
  { metadata: { name: 'param-two', labels: { param: 'yes' } }, data: { most: '2', color: 'red' } },
];

export const post = (data: JsonObject, more: Partial<CaseRequest> & { readonly metadata?: JsonObject } = {}): CaseRequest => {
  const { metadata, ...rest } = more;
  return {
    method: 'POST',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'NAME', labels: { case: 'NAME' }, ...metadata }, data },
    ...rest,
  };
};
const validations = (...list: readonly (string | JsonObject)[]) => ({
  validations: list.map((each) => (typeof each === 'string' ? { expression: each } : each)),
});
const says = (...expressions: readonly string[]) =>
  validations(...expressions.map((each) => ({ expression: 'false', messageExpression: `string(${each})` })));
/** A case whose policy says the values of expressions, one by one, by warnings. */
const values = (name: string, expressions: readonly string[], requests: readonly CaseRequest[], more: JsonObject = {}): PolicyCase => ({
  name,
  spec: { ...says(...expressions), ...more },
  bindings: [{ validationActions: ['Warn'] }],
  requests,
});
const rules = (...list: readonly JsonObject[]) => ({
  resourceRules: list.map((rule) => ({ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], ...rule })),
});
const first = { name: 'one', data: { a: '1' } };
const merge = 'application/merge-patch+json';
const applied = (data: JsonObject) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'NAME', labels: { case: 'NAME' } }, data });

export const policyCases: readonly PolicyCase[] = [
  values(
    'absent-state',
    [
      'has(object.status)',
      'has(oldObject.data)',
      'object.?data.hasValue()',
      'oldObject.?data.?a.hasValue()',
      "oldObject[?'data'].hasValue()",
      'has(object.data.a.b)',
      'object.?data.?a.?b.hasValue()',
      'oldObject.all(key, true)',
      'has(dyn(1).x)',
      'has(dyn([1]).x)',
      'dyn([1]).?x.hasValue()',
    ].map((expression, index) => `'${index} ' + string(${expression})`),
    [post({ a: '1' }), { method: 'DELETE', path: 'NAME' }],
  ),
  {
    name: 'deny-plain',
    spec: validations("object.data.a == '1'"),
    requests: [post({ a: '2' }), post({ a: '1' }), { method: 'PATCH', path: 'NAME', body: { data: { a: '3' } }, type: merge }],
  },
  {
    name: 'messages',
    spec: validations({ expression: "object.data.a == '1'", message: ' a must be 1 ' }),
    requests: [post({ a: '2' })],
  },
  {
    name: 'message-expression',
    spec: validations({ expression: 'false', message: 'static', messageExpression: "'a is ' + object.data.a" }),
    requests: [post({ a: '2' }), post({ b: '2' }), post({ a: 'x\ny' }), post({ a: '' })],
  },
  ...['Forbidden', 'Invalid', 'RequestEntityTooLarge'].map(
    (reason): PolicyCase => ({
      name: `reason-${reason.toLowerCase()}`,
      spec: validations({ expression: 'false', reason }),
      requests: [post({ a: '1' })],
    }),
  ),
  { name: 'several', spec: validations('true', 'false', { expression: 'false', message: 'later' }), requests: [post({ a: '1' })] },
  {
    name: 'warn',
    spec: validations("object.data.a == '1'", { expression: 'false', message: 'always' }),
    bindings: [{ validationActions: ['Warn', 'Audit'] }],
    requests: [post({ a: '2' })],
  },
  { name: 'audit', spec: validations('false'), bindings: [{ validationActions: ['Audit'] }], requests: [post({ a: '1' })] },
  { name: 'error-fail', spec: validations("object.data.b == '1'"), requests: [post({ a: '1' })] },
  { name: 'error-ignore', spec: { ...validations("object.data.b == '1'"), failurePolicy: 'Ignore' }, requests: [post({ a: '1' })] },
  {
    name: 'error-warn',
    spec: validations("object.data.b == '1'", 'object.spec.x == 1', "oldObject.data.a == '1'", 'int(object.data.a) > 1'),
    bindings: [{ validationActions: ['Warn'] }],
    requests: [post({ a: 'x' })],
  },
  {
    name: 'conditions',
    spec: { ...validations('false'), matchConditions: [{ name: 'has-b', expression: "'b' in object.data" }] },
    requests: [post({ a: '1' }, { query: 'dryRun=All' }), post({ b: '1' })],
  },
  {
    name: 'condition-error',
    spec: {
      ...validations('false'),
      matchConditions: [
        { name: 'one', expression: "object.data.b == '1'" },
        { name: 'two', expression: "object.data.c == '1'" },
      ],
    },
    requests: [post({ a: '1' }), post({ b: '1' }), post({ b: '2' })],
  },
  {
    name: 'condition-one-error',
    spec: { ...validations('false'), matchConditions: [{ name: 'one', expression: 'namespaceObject.metadata.name == "x"' }] },
    requests: [post({ a: '1' })],
  },
  {
    name: 'condition-ignore',
    spec: { ...validations('false'), failurePolicy: 'Ignore', matchConditions: [{ name: 'one', expression: "object.data.b == '1'" }] },
    requests: [post({ a: '1' })],
  },
  {
    name: 'variables',
    spec: {
      variables: [
        { name: 'a', expression: "object.data.?a.orValue('none')" },
        { name: 'both', expression: "variables.a + '!'" },
        { name: 'broken', expression: 'object.data.zzz' },
        { name: 'list', expression: '[variables.both, variables.both]' },
      ],
      ...says('variables.both', "variables.list.join('-')", "has(variables.a) ? 'has' : 'has not'", 'string(variables.broken)'),
    },
    bindings: [{ validationActions: ['Warn'] }],
    requests: [post({ a: '1' })],
  },
  {
    name: 'variable-error',
    spec: { variables: [{ name: 'broken', expression: 'object.data.zzz' }], ...validations("variables.broken == 'x'") },
    requests: [post({ a: '1' })],
  },
  {
    name: 'variable-unused',
    spec: { variables: [{ name: 'broken', expression: 'object.data.zzz' }], ...validations("true || variables.broken == 'x'") },
    requests: [post({ a: '1' })],
  },
  values(
    'request-create',
    [
      "request.operation + ' ' + request.kind.group + '/' + request.kind.version + ' ' + request.kind.kind",
      "request.resource.group + '/' + request.resource.version + ' ' + request.resource.resource",
      "request.requestKind.kind + ' ' + request.requestResource.resource",
      'request.name',
      'request.namespace',
      'string(request.dryRun)',
      "has(request.subResource) ? 'sub' : 'none'",
      "has(request.userInfo) ? 'user' : 'nobody'",
      "request.userInfo.groups.exists(g, g == 'system:authenticated') ? 'authenticated' : 'unknown'",
      "request.options.kind + ' ' + request.options.apiVersion",
      "has(request.options.fieldManager) ? request.options.fieldManager : 'no manager'",
      "has(request.options.dryRun) ? request.options.dryRun[0] : 'no dry run'",
      "oldObject == null ? 'new' : 'old'",
      "object == null ? 'gone' : object.metadata.name",
      'namespaceObject.metadata.labels["kubernetes.io/metadata.name"]',
      "namespaceObject.status.phase + ' ' + namespaceObject.spec.finalizers[0]",
      "has(object.metadata.uid) ? 'uid' : 'no uid'",
      "has(object.metadata.managedFields) ? 'managed' : 'not managed'",
      "has(object.metadata.creationTimestamp) ? 'created' : 'not created'",
      "has(object.metadata.resourceVersion) ? 'version' : 'no version'",
      "has(object.metadata.generateName) ? 'generated' : 'named'",
      'object.apiVersion + " " + object.kind',
    ],
    [
      post({ a: '1' }, { query: 'dryRun=All' }),
      post({ a: '1' }, { query: 'dryRun=All', metadata: { name: '', generateName: 'made-' } }),
      post({ a: '1' }, { query: 'fieldManager=me' }),
      { method: 'PUT', path: 'NAME', body: applied({ a: '2' }), query: 'fieldManager=me&dryRun=All' },
      { method: 'PATCH', path: 'NAME', body: { data: { a: '4' } }, type: merge, query: 'dryRun=All' },
      {
        method: 'PATCH',
        path: 'NAME',
        body: applied({ a: '5' }),
        type: 'application/apply-patch+yaml',
        query: 'fieldManager=you&force=true',
      },
      { method: 'DELETE', path: 'NAME' },
      { method: 'PATCH', path: 'NAME', body: applied({ a: '5' }), type: 'application/apply-patch+yaml', query: 'fieldManager=you' },
    ],
  ),
  {
    name: 'generated-name',
    spec: validations('false'),
    requests: [post({ a: '1' }, { metadata: { name: '', generateName: 'made-' } })],
  },
  {
    name: 'deletion',
    spec: {
      ...validations({ expression: "oldObject.data.a != 'keep'", messageExpression: "oldObject.data.a + ' stays'" }),
      matchConstraints: {
        ...rules({ operations: ['DELETE'], resources: ['configmaps'] }),
        objectSelector: { matchLabels: { case: 'deletion' } },
      },
    },
    requests: [
      post({ a: 'keep' }),
      { method: 'DELETE', path: 'NAME' },
      { method: 'DELETE', path: 'NAME', query: 'dryRun=All' },
      { method: 'DELETE', query: 'labelSelector=case%3Ddeletion' },
      { method: 'PATCH', path: 'NAME', body: { data: { a: 'go' } }, type: merge },
      { method: 'DELETE', path: 'NAME' },
    ],
  },
  values(
    'delete-values',
    ["request.operation + (object == null ? ' null' : ' object')", 'request.options.kind', "has(request.name) ? request.name : 'no name'"],
    [post({ a: '1' }, { query: 'dryRun=All' }), post({ a: '1' }), { method: 'DELETE', query: 'labelSelector=case%3Ddelete-values' }],
  ),
  values(
    'delete-options',
    [
      "request.options.kind + ' ' + request.options.apiVersion",
      'string(request.options.size())',
      'string(has(request.options.orphanDependents))',
    ],
    [
      post({ a: '1' }, { query: 'dryRun=All' }),
      post({ a: '1' }),
      { method: 'DELETE', path: 'NAME', body: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 5, orphanDependents: null } },
    ],
  ),
  {
    name: 'null-object',
    spec: validations("object.metadata.name != ''"),
    requests: [post({ a: '1' }), { method: 'DELETE', path: 'NAME' }],
  },
  {
    name: 'transition',
    spec: validations({ expression: 'oldObject == null || object.data.a == oldObject.data.a', message: 'a is immutable' }),
    requests: [
      post({ a: '1' }),
      { method: 'PATCH', path: 'NAME', body: { data: { a: '2' } }, type: merge },
      { method: 'PATCH', path: 'NAME', body: { data: { b: '2' } }, type: merge },
    ],
  },
  {
    name: 'exact',
    spec: {
      ...validations({
        expression: 'false',
        messageExpression: "request.kind.version + ' ' + request.requestKind.version + ' ' + object.apiVersion",
      }),
      matchConstraints: {
        ...rules({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] }),
        matchPolicy: 'Exact',
        objectSelector: { matchLabels: { case: 'exact' } },
      },
    },
    requests: [autoscaler('v2'), autoscaler('v1')],
  },
  {
    name: 'equivalent',
    spec: {
      ...validations({
        expression: 'false',
        messageExpression:
          "request.kind.version + ' ' + request.requestKind.version + ' ' + object.apiVersion + ' ' + request.resource.version",
      }),
      matchConstraints: {
        ...rules({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] }),
        objectSelector: { matchLabels: { case: 'equivalent' } },
      },
    },
    requests: [autoscaler('v2'), autoscaler('v1')],
  },
  {
    name: 'condition-of-equivalent',
    spec: {
      ...validations('true'),
      matchConditions: [
        {
          name: 'versions',
          expression:
            "{'a': true}[request.kind.version + ' ' + request.requestKind.version + ' ' + object.apiVersion + ' ' + request.resource.version]",
        },
      ],
      matchConstraints: {
        ...rules({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] }),
        objectSelector: { matchLabels: { case: 'condition-of-equivalent' } },
      },
    },
    requests: [autoscaler('v2'), autoscaler('v1')],
  },
  {
    name: 'excluded',
    spec: {
      ...validations('false'),
      matchConstraints: {
        ...rules({ resources: ['*'] }),
        excludeResourceRules: rules({ resources: ['configmaps'] }).resourceRules,
        objectSelector: { matchLabels: { case: 'excluded' } },
      },
    },
    requests: [post({ a: '1' }), { method: 'POST', resource: 'secrets', body: { metadata: { name: 'NAME', labels: { case: 'NAME' } } } }],
  },
  {
    // Keys that every JavaScript object has: no labels, but where they are written.
    name: 'inherited-keys',
    spec: {
      ...validations('false'),
      matchConstraints: {
        ...rules({ resources: ['configmaps'] }),
        objectSelector: {
          matchLabels: { case: 'inherited-keys' },
          matchExpressions: [
            { key: 'constructor', operator: 'Exists' },
            { key: 'toString', operator: 'DoesNotExist' },
            { key: 'valueOf', operator: 'NotIn', values: ['a'] },
          ],
        },
      },
    },
    requests: [post({ a: '1' }), post({ a: '2' }, { metadata: { name: 'inherited', labels: { case: 'NAME', constructor: 'x' } } })],
  },
  {
    name: 'names',
    spec: { ...validations('false'), matchConstraints: rules({ resources: ['configmaps'], resourceNames: ['names'] }) },
    requests: [post({ a: '1' }), post({ a: '1' }, { metadata: { name: 'other-name' } })],
  },
  {
    name: 'binding-matches',
    spec: validations('false'),
    bindings: [
      { validationActions: ['Deny'], matchResources: { objectSelector: { matchLabels: { case: 'binding-matches', deny: 'yes' } } } },
    ],
    requests: [post({ a: '1' }), post({ a: '1' }, { metadata: { name: 'denied', labels: { case: 'binding-matches', deny: 'yes' } } })],
  },
  {
    name: 'params',
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...validations({
        expression: 'object.data.size() <= int(params.data.most)',
        messageExpression: "'at most ' + params.data.most + ' of ' + params.apiVersion + ' ' + params.kind",
      }),
    },
    bindings: [{ validationActions: ['Deny'], paramRef: { name: 'param-one', parameterNotFoundAction: 'Deny' } }],
    requests: [post({ a: '1' }), post({ a: '1', b: '1' }, { metadata: { name: 'two' } })],
  },
  {
    name: 'params-selected',
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...validations({ expression: 'object.data.a != params.data.most', messageExpression: "'is ' + params.metadata.name" }),
      auditAnnotations: [{ key: 'most', valueExpression: 'string(params.data.most)' }],
    },
    bindings: [{ validationActions: ['Warn'], paramRef: { selector: { matchLabels: { param: 'yes' } }, parameterNotFoundAction: 'Deny' } }],
    requests: [post({ a: '1' }), post({ a: '2' }, { metadata: { name: 'two' } }), post({ a: '3' }, { metadata: { name: 'three' } })],
  },
  ...['Deny', 'Allow'].map(
    (action): PolicyCase => ({
      name: `params-absent-${action.toLowerCase()}`,
      spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...validations('false') },
      bindings: [{ validationActions: ['Warn'], paramRef: { name: 'nowhere', parameterNotFoundAction: action } }],
      requests: [post({ a: '1' })],
    }),
  ),
  {
    name: 'params-unbound',
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...validations({ expression: 'params != null', message: 'no params' }) },
    requests: [post({ a: '1' })],
  },
  {
    name: 'params-unknown-kind',
    spec: { paramKind: { apiVersion: 'nowhere.example.com/v1', kind: 'Nothing' }, ...validations('true') },
    bindings: [{ validationActions: ['Warn'], paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }],
    requests: [post({ a: '1' })],
  },
  {
    name: 'params-of-cluster',
    spec: { paramKind: { apiVersion: 'v1', kind: 'Namespace' }, ...validations('params.metadata.name != "default"') },
    bindings: [{ validationActions: ['Deny'], paramRef: { name: 'default', namespace: 'default', parameterNotFoundAction: 'Allow' } }],
    requests: [post({ a: '1' })],
  },
  {
    name: 'params-cluster-wide',
    spec: { paramKind: { apiVersion: 'v1', kind: 'Namespace' }, ...validations('params.metadata.name != "default"') },
    bindings: [{ validationActions: ['Deny'], paramRef: { name: 'default', parameterNotFoundAction: 'Allow' } }],
    requests: [post({ a: '1' })],
  },
  {
    name: 'annotations',
    spec: {
      auditAnnotations: [
        { key: 'plain', valueExpression: "'a is ' + object.data.a" },
        { key: 'none', valueExpression: 'null' },
      ],
    },
    bindings: [{ validationActions: ['Warn'] }],
    requests: [post({ b: '1' }), post({ a: '1' })],
  },
  {
    name: 'annotation-ignored',
    spec: { failurePolicy: 'Ignore', auditAnnotations: [{ key: 'plain', valueExpression: "'a is ' + object.data.a" }] },
    requests: [post({ b: '1' })],
  },
  {
    name: 'annotation-authorizer',
    spec: { auditAnnotations: [{ key: 'plain', valueExpression: "authorizer.path('/x').check('get').allowed() ? 'x' : 'y'" }] },
    requests: [post({ b: '1' })],
  },
  {
    name: 'authorizer',
    spec: validations(
      {
        expression: "!authorizer.group('apps').resource('deployments').namespace('default').check('create').allowed()",
        message: 'may create',
      },
      { expression: "!authorizer.requestResource.check('delete').allowed()", message: 'may delete' },
      {
        expression: "authorizer.serviceAccount('default', 'nobody').group('').resource('pods').check('list').allowed()",
        message: 'nobody',
      },
      { expression: "authorizer.serviceAccount('default', 'nobody').path('/healthz').check('get').allowed()", message: 'no path' },
      { expression: "authorizer.serviceAccount('a b', 'nobody').path('/healthz').check('get').allowed()" },
      { expression: "authorizer.path(' ').check('get').allowed()" },
      { expression: "authorizer.group('apps').resource('').check('get').allowed()" },
      { expression: "authorizer.group('').resource('pods').subresource('log').name('x').check('get').errored()", message: 'no error' },
      {
        expression: "[1, 2, 3].all(i, authorizer.group('').resource('pods').check('get').allowed())",
        message: 'too expensive',
      },
    ),
    bindings: [{ validationActions: ['Warn'] }],
    requests: [post({ a: '1' })],
  },
  {
    name: 'cost',
    spec: validations(
      '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, true))))))',
    ),
    requests: [post({ a: '1' })],
  },
  {
    name: 'scaling',
    spec: {
      ...validations({
        expression: 'object.spec.replicas < 5',
        messageExpression:
          "request.kind.kind + ' ' + request.kind.group + ' ' + request.resource.resource + ' ' + request.subResource + ' ' + object.kind + ' ' + string(oldObject.spec.replicas)",
      }),
      matchConstraints: rules({ resources: ['deployments/scale'], resourceNames: ['scaling'] }),
    },
    requests: [
      { method: 'POST', resource: 'deployments', body: deployment() },
      { method: 'PATCH', resource: 'deployments', path: 'NAME/scale', body: { spec: { replicas: 7 } }, type: merge },
      { method: 'PATCH', resource: 'deployments', path: 'NAME/scale', body: { spec: { replicas: 3 } }, type: merge },
    ],
  },
  {
    name: 'status',
    spec: {
      ...validations({
        expression: 'false',
        messageExpression: "request.subResource + ' ' + request.requestSubResource + ' ' + object.kind",
      }),
      matchConstraints: rules({ resources: ['deployments/status'], resourceNames: ['status'] }),
    },
    requests: [
      { method: 'POST', resource: 'deployments', body: deployment() },
      { method: 'PATCH', resource: 'deployments', path: 'NAME/status', body: { status: { replicas: 1 } }, type: merge },
    ],
  },
  {
    name: 'workload',
    spec: {
      ...says(
        'string(object.spec.replicas)',
        'object.spec.template.spec.containers[0].image',
        "has(object.spec.template.spec.containers[0].resources) ? 'resources' : 'none'",
        "has(object.status) ? 'status' : 'no status'",
        "has(object.spec.strategy) ? object.spec.strategy.type : 'no strategy'",
        "has(object.spec.template.metadata.creationTimestamp) ? 'time' : 'no time'",
        'string(object.metadata.generation)',
        "string(object.spec.template.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits))",
        'object.spec.strategy.rollingUpdate.maxSurge',
        'string(object.spec.template.spec.containers[0].ports[0].containerPort + 1)',
        "type(object.spec.replicas) == int ? 'int' : 'other'",
      ),
      matchConstraints: {
        ...rules({ apiGroups: ['apps'], resources: ['deployments'] }),
        objectSelector: { matchLabels: { case: 'workload' } },
      },
    },
    bindings: [{ validationActions: ['Warn'] }],
    requests: [{ method: 'POST', resource: 'deployments', body: deployment() }],
  },
  {
    name: 'secret-values',
    spec: {
      ...says("object.data.a + ' ' + object.type"),
      matchConstraints: { ...rules({ resources: ['secrets'] }), objectSelector: { matchLabels: { case: 'secret-values' } } },
    },
    requests: [
      { method: 'POST', resource: 'secrets', body: { metadata: { name: 'NAME', labels: { case: 'NAME' } }, stringData: { a: 'x' } } },
    ],
  },
  {
    name: 'eviction',
    spec: {
      ...validations({
        expression: 'false',
        messageExpression: "request.operation + ' ' + request.kind.kind + ' ' + request.subResource + ' ' + object.metadata.name",
      }),
      matchConstraints: rules({ resources: ['pods/eviction'], resourceNames: ['eviction'] }),
    },
    requests: [
      { method: 'POST', resource: 'pods', body: pod() },
      {
        method: 'POST',
        resource: 'pods',
        path: 'NAME/eviction',
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'NAME' } },
      },
    ],
  },
  {
    name: 'pod-binding',
    spec: {
      ...validations({ expression: 'false', messageExpression: "request.operation + ' ' + request.kind.kind + ' ' + object.target.name" }),
      matchConstraints: rules({ resources: ['pods/binding'], resourceNames: ['pod-binding'] }),
    },
    requests: [
      { method: 'POST', resource: 'pods', body: pod() },
      {
        method: 'POST',
        resource: 'pods',
        path: 'NAME/binding',
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'NAME' }, target: { kind: 'Node', name: 'nowhere' } },
      },
    ],
  },
  {
    name: 'token',
    spec: {
      ...validations({ expression: 'false', messageExpression: "request.operation + ' ' + request.kind.kind + ' ' + request.kind.group" }),
      matchConstraints: rules({ resources: ['serviceaccounts/token'], resourceNames: ['token'] }),
    },
    requests: [
      { method: 'POST', resource: 'serviceaccounts', body: { metadata: { name: 'NAME' } } },
      {
        method: 'POST',
        resource: 'serviceaccounts',
        path: 'NAME/token',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      },
    ],
  },
  {
    name: 'connect',
    spec: {
      ...validations({
        expression: 'false',
        messageExpression:
          "request.operation + ' ' + request.kind.kind + ' ' + object.kind + ' ' + object.command[0] + (oldObject == null ? ' null' : '')",
      }),
      matchConstraints: rules({ operations: ['CONNECT'], resources: ['pods/exec'], resourceNames: ['connect'] }),
    },
    requests: [
      { method: 'POST', resource: 'pods', body: pod() },
      { method: 'POST', resource: 'pods', path: 'NAME/exec', query: 'command=ls&stdout=true' },
    ],
  },
  {
    name: 'without-namespace',
    spec: {
      ...says("has(request.namespace) ? request.namespace : 'no namespace'", "namespaceObject == null ? 'null' : 'namespace'"),
      matchConstraints: { ...rules({ resources: ['priorityclasses'] }), objectSelector: { matchLabels: { case: 'without-namespace' } } },
    },
    bindings: [{ validationActions: ['Warn'], matchResources: {} }],
    requests: [
      {
        method: 'POST',
        resource: 'priorityclasses',
        query: 'dryRun=All',
        body: {
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name: 'NAMESPACE', labels: { case: 'NAME' } },
          value: 5,
        },
      },
    ],
  },
  {
    name: 'namespace-itself',
    spec: {
      ...says(
        "request.operation + ' ' + (has(request.namespace) ? request.namespace : 'no namespace')",
        "namespaceObject == null ? 'null' : 'namespace'",
      ),
      matchConstraints: { ...rules({ resources: ['namespaces'] }), objectSelector: { matchLabels: { case: 'namespace-itself' } } },
    },
    bindings: [{ validationActions: ['Warn'], matchResources: { namespaceSelector: { matchLabels: { case: 'namespace-itself' } } } }],
    requests: [
      {
        method: 'POST',
        resource: 'namespaces',
        query: 'dryRun=All',
        body: { metadata: { name: 'NAMESPACE-x', labels: { case: 'NAME' } } },
      },
      {
        method: 'PATCH',
        resource: 'namespaces',
        path: 'NAMESPACE',
        query: 'dryRun=All',
        body: { metadata: { labels: { case: 'NAME' } } },
        type: merge,
      },
    ],
  },
  {
    name: 'invalid-first',
    spec: validations('false'),
    requests: [
      { method: 'POST', body: { metadata: { name: 'NAME', labels: { case: 'NAME' } }, data: { 'a b': 'x' } } },
      post({ a: first.data.a }),
    ],
  },
  {
    name: 'policy-itself',
    spec: {
      ...validations('false'),
      matchConstraints: rules({ resources: ['validatingadmissionpolicies'], resourceNames: ['policy-itself-NAMESPACE'] }),
    },
    bindings: [{ validationActions: ['Deny'], matchResources: {} }],
    requests: [
      {
        method: 'PATCH',
        resource: 'validatingadmissionpolicies',
        path: 'policy-itself-NAMESPACE',
        body: { metadata: { labels: { a: 'b' } } },
        type: merge,
      },
    ],
  },
];

export function autoscaler(version: string): CaseRequest {
  const body = {
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'NAME', labels: { case: 'NAME' } },
    spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' } },
  };
  return { method: 'POST', resource: `horizontalpodautoscalers.${version}`, body, query: 'dryRun=All' };
}

function deployment(): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'NAME', labels: { case: 'NAME' } },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'a', image: 'a:1', ports: [{ containerPort: 80 }] }] },
      },
    },
  };
}

function pod(): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'NAME' }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };
}
