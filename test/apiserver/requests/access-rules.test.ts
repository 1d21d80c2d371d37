import { expect, test } from 'vitest';
import { certificateRequest } from '../../harness/certificate-request.js';
import { poll } from '../../harness/poll.js';
import { type Sent, sender } from '../../harness/send-as.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('access-rules');
const { app, cluster, namespace } = testEnvironment;
const send = sender(testEnvironment);
const group = 'rbac.authorization.k8s.io';
const roles = `/apis/${group}/v1`;
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const reviews = '/apis/authorization.k8s.io/v1';
const refused = ({ status, body }: Sent) => `${status} ${body.message ?? body.kind}`;

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The real API server reads roles from an informer, which learns of a new one a moment later. */
async function mayDo(user: string, { apiGroups, resources, resourceNames, verbs }: Rule): Promise<boolean> {
  const [resource, subresource] = (resources[0] as string).split('/');
  const attributes = { group: apiGroups[0], resource, subresource, name: resourceNames?.[0]?.replace('*', 'x'), verb: verbs[0] };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { user, resourceAttributes: attributes } };
  const answer = await send('POST', `${reviews}/subjectaccessreviews`, body);
  return answer.body.status.allowed === true;
}

/** Creates a user who has the rules of a ClusterRole. */
async function userWith(name: string, rules: readonly Rule[]): Promise<string> {
  const user = `${app}-${name}`;
  const role = { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: { name: user }, rules };
  const subjects = [{ kind: 'User', name: user, apiGroup: group }];
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: user };
  const binding = { apiVersion: `${group}/v1`, kind: 'ClusterRoleBinding', metadata: { name: user }, roleRef, subjects };
  for (const object of [role, binding]) {
    testEnvironment.removeLater(object);
    await cluster.create('test', object);
  }
  await poll(`${user} has the rights`, () => mayDo(user, rules[0] as Rule));
  return user;
}

const csrRule = {
  apiGroups: ['certificates.k8s.io'],
  resources: ['', '/approval', '/status'].map((part) => `certificatesigningrequests${part}`),
  verbs: ['*'],
};
const signerRule = {
  apiGroups: ['certificates.k8s.io'],
  resources: ['signers'],
  resourceNames: ['example.com/*'],
  verbs: ['approve', 'sign'],
};
const csr = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: app },
  spec: { request: certificateRequest, signerName: 'example.com/signer', usages: ['client auth'] },
};
testEnvironment.removeLater(csr);
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('a decision and a signature need the right for the signer', async () => {
  const plain = await userWith('plain', [csrRule]);
  const signer = await userWith('signer', [csrRule, signerRule]);
  await cluster.create('test', csr);
  const write = (user: string, subresource: string, status: object) =>
    send('PATCH', `${csrs}/${app}/${subresource}`, { status }, user).then(refused);
  const condition = (type: string, status = 'True') => ({ conditions: [{ type, status, reason: 'r' }] });
  const refusal = (verb: string) =>
    `403 certificatesigningrequests.certificates.k8s.io "${app}" is forbidden: user not permitted to ${verb} requests with signerName "example.com/signer"`;
  const problem = (text: string) => `422 CertificateSigningRequest.certificates.k8s.io "${app}" is invalid: status.${text}`;
  const certificate = (text: string) => problem(`certificate: Invalid value: "<certificate data>": ${text}`);
  expect(await write(plain, 'approval', {})).toBe(refusal('approve'));
  expect(await write(plain, 'approval', condition('Approved'))).toBe(refusal('approve'));
  expect(await write(plain, 'status', condition('Failed'))).toBe(refusal('sign'));
  expect(await write(plain, 'status', {})).toBe('200 CertificateSigningRequest');
  const current = await cluster.get(csr);
  expect(refused(await send('PUT', `${csrs}/${app}/approval`, current, plain))).toBe(refusal('approve'));
  for (const user of [plain, signer]) {
    expect(await write(user, 'status', condition('Approved'))).toBe(
      problem('conditions: Forbidden: updates may not add a condition of type "Approved"'),
    );
    expect(await write(user, 'status', condition('Other', 'Bad'))).toBe(
      problem('conditions[0].status: Unsupported value: "Bad": supported values: "False", "True", "Unknown"'),
    );
    expect(await write(user, 'status', { certificate: base64('x') })).toBe(certificate('must contain at least one CERTIFICATE PEM block'));
    expect(await write(user, 'status', { certificate: certificateRequest })).toBe(
      certificate('only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'),
    );
    const bad = base64('-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n');
    expect(await write(user, 'status', { certificate: bad })).toBe(certificate('x509: malformed certificate'));
  }
  expect(await write(signer, 'approval', condition('Approved'))).toBe('200 CertificateSigningRequest');
});

test('a new request for a certificate is valid', async () => {
  const create = (spec: object) =>
    send('POST', `${csrs}?dryRun=All`, { ...csr, metadata: { name: 'new' }, spec: { ...csr.spec, ...spec } });
  const problem = (text: string) => `422 CertificateSigningRequest.certificates.k8s.io "new" is invalid: ${text}`;
  const cases: readonly (readonly [object, string])[] = [
    [{ request: 'YWJj' }, 'spec.request: Invalid value: "YWJj": PEM block type must be CERTIFICATE REQUEST'],
    [{ signerName: '' }, 'spec.signerName: Required value'],
    [
      { signerName: 'abc' },
      'spec.signerName: Invalid value: "abc": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
    ],
    [{ signerName: 'ab/c' }, 'spec.signerName: Invalid value: "ab": should be a domain with at least two segments separated by dots'],
    [
      { signerName: 'kubernetes.io/legacy-unknown' },
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
    [
      { signerName: `${'a'.repeat(64)}.b/c` },
      `spec.signerName: Invalid value: "${'a'.repeat(64)}.b": validating label "${'a'.repeat(64)}": must be no more than 63 characters`,
    ],
    [{ usages: [] }, 'spec.usages: Required value'],
    [{ usages: ['client auth', 'client auth'] }, 'spec.usages[1]: Duplicate value: "client auth"'],
    [
      { expirationSeconds: 599 },
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
    ],
    [
      { request: undefined, signerName: undefined, usages: undefined },
      '[spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST, spec.usages: Required value, spec.signerName: Required value]',
    ],
  ];
  for (const [spec, text] of cases) expect(refused(await create(spec))).toBe(problem(text));
  expect(refused(await create({ usages: ['zz'] }))).toContain(
    'spec.usages[0]: Unsupported value: "zz": supported values: "any", "cert sign"',
  );
  expect(refused(await create({ signerName: 'A.b/c' }))).toContain(
    'Invalid value: "A.b": validating label "A": a lowercase RFC 1123 label',
  );
  expect((await create({ expirationSeconds: 600 })).status).toBe(201);
});

const bindingTo = (kind: string, name: string, of = 'ClusterRoleBinding') => ({
  apiVersion: `${group}/v1`,
  kind: of,
  metadata: { name: 'new' },
  roleRef: { apiGroup: group, kind, name },
  subjects: [{ kind: 'User', name: 'z', apiGroup: group }],
});

test('who does not hold all rights aggregates no roles', async () => {
  const rbac = { apiGroups: [group], resources: ['clusterroles'], verbs: ['get', 'create', 'update', 'patch'] };
  const writer = await userWith('writer', [rbac]);
  const all = await userWith('all', [rbac, { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
  const aggregated = (clusterRoleSelectors: readonly object[], name = `${app}-aggregated`) => ({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    aggregationRule: { clusterRoleSelectors },
  });
  const create = async (selectors: readonly object[], user?: string) =>
    refused(await send('POST', `${roles}/clusterroles?dryRun=All`, aggregated(selectors), user));
  const refusal = (name = `${app}-aggregated`) =>
    `403 clusterroles.${group} "${name}" is forbidden: must have cluster-admin privileges to use the aggregationRule`;
  expect(await create([{ matchLabels: { a: 'b' } }], writer)).toBe(refusal());
  expect(await create([{ matchLabels: { a: 'b' } }], all)).toBe('201 ClusterRole');
  const problem = (text: string) => `422 ClusterRole.${group} "${app}-aggregated" is invalid: ${text}`;
  const needed =
    'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil';
  for (const user of [undefined, writer]) expect(await create([], user)).toBe(problem(needed));
  const field = 'aggregationRule.clusterRoleSelectors[0]';
  expect(await create([{ matchExpressions: [{ key: 'a', operator: 'Bad' }] }])).toBe(
    problem(
      `[${field}.matchExpressions[0].operator: Invalid value: "Bad": not a valid selector operator, ${field}: Invalid value: null: invalid label selector.]`,
    ),
  );
  const stored = aggregated([{ matchLabels: { a: 'b' } }], `${app}-stored`);
  testEnvironment.removeLater(stored);
  await cluster.create('test', stored);
  const patch = async (name: string, body: object) =>
    refused(await send('PATCH', `${roles}/clusterroles/${name}?dryRun=All`, body, writer));
  const { aggregationRule } = aggregated([{ matchLabels: { z: 'b' } }]);
  for (const body of [{ aggregationRule }, { aggregationRule: null }, { metadata: { labels: { a: 'c' } } }])
    expect(await patch(`${app}-stored`, body)).toBe(refusal(`${app}-stored`));
  expect(await patch(`${app}-stored`, {})).toBe('200 ClusterRole');
  expect(await patch(writer, { aggregationRule })).toBe(refusal(writer));
});

test('a binding to a role that does not exist', async () => {
  const rule = { apiGroups: [group], resources: ['clusterrolebindings', 'rolebindings'], verbs: ['create'] };
  const binder = await userWith('binder', [rule]);
  const clusterWide = async (kind: string, name: string) =>
    refused(await send('POST', `${roles}/clusterrolebindings?dryRun=All`, bindingTo(kind, name), binder));
  expect(await clusterWide('ClusterRole', 'missing')).toBe(`404 clusterrolebindings.${group} "missing" not found`);
  expect(await clusterWide('ClusterRole', '')).toBe('400 Name parameter required.');
  expect(await clusterWide('Role', 'missing')).toBe('400 Namespace parameter required.');
  for (const kind of ['Role', 'ClusterRole']) {
    const path = `${roles}/namespaces/${namespace}/rolebindings?dryRun=All`;
    expect(refused(await send('POST', path, bindingTo(kind, 'missing', 'RoleBinding'), binder))).toBe(
      `404 rolebindings.${group} "missing" not found`,
    );
  }
});

test('a review of a namespace is about that namespace', async () => {
  const local = async (spec: object, metadata: object = { namespace }) =>
    send('POST', `${reviews}/namespaces/${namespace}/localsubjectaccessreviews`, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'LocalSubjectAccessReview',
      metadata,
      spec: { user: 'x', ...spec },
    });
  const inside = { resourceAttributes: { verb: 'get', resource: 'pods', namespace } };
  const problem = (text: string) => `422 .authorization.k8s.io "" is invalid: ${text}`;
  for (const metadata of [{}, { namespace }])
    expect((await local(inside, metadata)).body).toMatchObject({ metadata: { namespace }, status: { allowed: false } });
  expect(refused(await local({ resourceAttributes: { verb: 'get', resource: 'pods' } }))).toBe(
    problem('spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace'),
  );
  expect(refused(await local({ resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'z' } }))).toBe(
    problem('spec.resourceAttributes.namespace: Invalid value: "z": must match metadata.namespace'),
  );
  expect(refused(await local(inside, { namespace: 'z' }))).toBe(
    '400 the namespace of the provided object does not match the namespace sent on the request',
  );
  const shown = 'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}';
  const path = { nonResourceAttributes: { path: '/x', verb: 'get' } };
  expect(refused(await local(path))).toBe(problem(`${shown}: disallowed on this kind of request`));
  expect(refused(await local({ ...inside, ...path }))).toBe(
    problem(`[${shown}: cannot be specified in combination with resourceAttributes, ${shown}: disallowed on this kind of request]`),
  );
  const rules = (spec: object) =>
    send('POST', `${reviews}/selfsubjectrulesreviews`, { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec });
  expect(refused(await rules({}))).toBe('400 no namespace on request');
  expect((await rules({ namespace })).status).toBe(201);
});
