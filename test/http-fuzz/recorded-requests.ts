/** A valid request, which the fuzz mutates. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = 'application/json';
const yaml = 'application/yaml';
const apply = 'application/apply-patch+yaml';
const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';
const dryRun = 'dryRun=All';

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { app: 'x' }, finalizers: ['a.b/c'] },
  data: { k: 'v' },
};
const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }], resources: { limits: { cpu: '100m' } } }] },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', annotations: { a: 'b' } },
  spec: { replicas: 2, selector: { matchLabels: { app: 'x' } }, template },
};
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { ports: [{ name: 'http', port: 80 }], selector: { a: 'b' } },
};
const schema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { n: { type: 'integer' }, s: { type: 'string', pattern: '^a+$' } } } },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ws.fuzz.example.com' },
  spec: {
    group: 'fuzz.example.com',
    scope: 'Namespaced',
    names: { plural: 'ws', singular: 'w', kind: 'W', listKind: 'WList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } }],
  },
};
const custom = { apiVersion: 'fuzz.example.com/v1', kind: 'W', metadata: { name: 'w' }, spec: { n: 1, s: 'aa' } };
const role = { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
const access = {
  spec: { user: 'jane', groups: ['g'], resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default', name: 'x' } },
};
const operations = [
  { op: 'add', path: '/data/z', value: '1' },
  { op: 'copy', from: '/data/z', path: '/data/y' },
  { op: 'test', path: '/data/k', value: 'v' },
];

function send(method: string, target: string, type?: string, body?: unknown): RecordedRequest {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return { method, target, headers: type === undefined ? {} : { 'content-type': type }, body: text };
}

/** Requests that the mutated ones need. */
export const preparing: readonly RecordedRequest[] = [
  send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', json, definition),
  send('POST', `${core}/configmaps`, json, { ...configMap, metadata: { name: 'a' } }),
  send('POST', `${apps}/deployments`, json, deployment),
  send('POST', `${core}/serviceaccounts`, json, { metadata: { name: 'sa' } }),
  send('POST', '/apis/fuzz.example.com/v1/namespaces/default/ws', json, custom),
];

export const recordedRequests: readonly RecordedRequest[] = [
  ...['/', '/api', '/apis', '/api/v1', '/apis/apps/v1', '/version', '/healthz', '/openapi/v3', '/openapi/v3/apis/apps/v1'].map((path) =>
    send('GET', path),
  ),
  send('GET', `${core}/configmaps?labelSelector=app%3Dx,tier%20in%20(a,b)&fieldSelector=metadata.name%3Da&limit=5`),
  send('GET', `${core}/configmaps?watch=true&timeoutSeconds=1&resourceVersion=0`),
  send('GET', `${apps}/deployments/d`),
  send('GET', `${apps}/deployments/d/scale`),
  send('POST', `${core}/configmaps?${dryRun}&fieldValidation=Strict`, json, configMap),
  send(
    'POST',
    `${core}/configmaps?${dryRun}`,
    yaml,
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &d\n  k: |\n    v\n  l: "x"\n',
  ),
  send('PUT', `${core}/configmaps/a?fieldManager=m`, json, configMap),
  send('PATCH', `${core}/configmaps/a?fieldManager=m&force=true`, apply, configMap),
  send('PATCH', `${core}/configmaps/a?${dryRun}`, 'application/json-patch+json', operations),
  send('PATCH', `${core}/configmaps/a`, 'application/merge-patch+json', { data: { k: null, n: 'x' } }),
  send('PATCH', `${apps}/deployments/d?${dryRun}`, 'application/strategic-merge-patch+json', {
    spec: { template: { spec: { containers: [{ name: 'c', $patch: 'delete' }], $setElementOrder: ['c'] } } },
  }),
  send('POST', `${apps}/deployments?${dryRun}`, json, deployment),
  send('PATCH', `${apps}/deployments/d?fieldManager=m&force=true`, apply, deployment),
  send('PATCH', `${apps}/deployments/d/scale?fieldManager=m&${dryRun}`, 'application/merge-patch+json', { spec: { replicas: 3 } }),
  send('POST', `${core}/services?${dryRun}`, json, service),
  send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', json, definition),
  send('PATCH', '/apis/fuzz.example.com/v1/namespaces/default/ws/w?fieldManager=m&force=true', apply, custom),
  send('PUT', '/apis/fuzz.example.com/v1/namespaces/default/ws/w/status', json, custom),
  send('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles?dryRun=All', json, role),
  send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', json, access),
  send('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', json, { spec: { namespace: 'default' } }),
  send('POST', `${core}/serviceaccounts/sa/token`, json, { spec: { expirationSeconds: 600, audiences: ['a'] } }),
  send('DELETE', `${core}/configmaps/b?${dryRun}`, json, { propagationPolicy: 'Foreground', preconditions: { uid: 'x' } }),
  send('DELETE', `${core}/configmaps?${dryRun}&labelSelector=a%3Db`),
];
