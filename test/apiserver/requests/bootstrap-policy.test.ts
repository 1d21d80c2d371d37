import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { sender } from '../../harness/send-as.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('bootstrap-policy');
const { cluster, namespace } = testEnvironment;
const send = sender(testEnvironment);
const apiVersion = 'rbac.authorization.k8s.io/v1';
const kinds = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
const label = 'kubernetes.io/bootstrapping';

const ruleLine = ({ apiGroups = [], resources, resourceNames = [], nonResourceURLs = [], verbs }: ResponseBody): string =>
  [
    resources === undefined ? `url ${nonResourceURLs}` : `${apiGroups.map((group: string) => group || 'core')}/${resources}`,
    verbs.join(),
    ...(resourceNames.length === 0 ? [] : [resourceNames.join()]),
  ].join(' ');

const subjectWord = ({ kind, namespace: of, name }: ResponseBody): string => [kind, ...(of === undefined ? [] : [of]), name].join('/');

/** An aggregated role has no rules of its own, and gets those of others from a controller. */
function objectText({ kind, metadata, roleRef, subjects = [], aggregationRule, rules }: ResponseBody): string {
  const head = subjectWord({ kind, ...metadata });
  if (roleRef !== undefined) return [head, subjectWord(roleRef), ...subjects.map(subjectWord)].join(' ');
  return [head, ...(aggregationRule === undefined ? rules : []).map((rule: ResponseBody) => `  ${ruleLine(rule)}`)].join('\n');
}

/** The module with the table, as the answers of a server say that it should be. */
function tableText(objects: readonly ResponseBody[]): string {
  return `/**
 * The roles and bindings that a server makes for itself, from the answers of a real one. Do not edit: on a real server,
 * \`vitest -u\` of test/apiserver/requests/bootstrap-policy.test.ts writes it.
 *
 * A rule is below its role, \`GROUPS/RESOURCES VERBS NAMES\` or \`url URLS VERBS\`. A binding is followed by its role and subjects.
 */
export const bootstrapPolicyTable = \`
${objects.map(objectText).join('\n')}
\`;
`;
}

test('the roles and bindings are those of a server 1.36', async () => {
  const lists = await Promise.all(kinds.map((kind) => cluster.client.call('GET', `/apis/${apiVersion}/${kind.toLowerCase()}s`)));
  const objects = lists.flatMap(({ items }, index) => items.map((object: ResponseBody) => ({ ...object, kind: kinds[index] })));
  const own = objects.filter(({ metadata }) => metadata.labels?.[label] === 'rbac-defaults');
  for (const kind of kinds) expect(own.some((object) => object.kind === kind)).toBe(true);
  await expect(tableText(own)).toMatchFileSnapshot('../../../src/apiserver/authorization/bootstrap-policy-table.ts');
});

test('each has the labels and the annotation of a default', async () => {
  const { metadata, aggregationRule } = await cluster.get({ apiVersion, kind: 'ClusterRole', metadata: { name: 'edit' } });
  expect(metadata.labels).toEqual({ [label]: 'rbac-defaults', 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' });
  expect(metadata.annotations).toEqual({ 'rbac.authorization.kubernetes.io/autoupdate': 'true' });
  expect(aggregationRule).toEqual({ clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }] });
  const reader = { name: 'extension-apiserver-authentication-reader', namespace: 'kube-system' };
  const role = await cluster.get({ apiVersion, kind: 'Role', metadata: reader });
  expect(role.metadata.labels).toEqual({ [label]: 'rbac-defaults' });
  expect(role.rules).toEqual([
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [reader.name.replace('-reader', '')], verbs: ['get', 'list', 'watch'] },
  ]);
});

test('a controller of the controller manager and a scheduler may do their work, and no other', async () => {
  const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'one' } };
  const template = { metadata: { labels: { app: 'one' } }, spec: { containers: [{ name: 'one', image: 'one' }] } };
  const spec = { replicas: 0, selector: { matchLabels: { app: 'one' } }, template };
  const path = `/apis/apps/v1/namespaces/${namespace}/replicasets`;
  const deployments = 'system:serviceaccount:kube-system:deployment-controller';
  expect((await send('POST', path, { ...replicaSet, spec }, deployments)).status).toBe(201);
  expect((await send('POST', path, { ...replicaSet, spec }, 'system:kube-scheduler')).status).toBe(403);
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  expect((await send('GET', `${leases}/kube-scheduler`, undefined, 'system:kube-scheduler')).status).toBe(404);
  expect((await send('GET', `${leases}/other`, undefined, 'system:kube-scheduler')).status).toBe(403);
});

test('a ConfigMap says since when the use of tokens in Secrets is recorded', async () => {
  const metadata = { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' };
  const { data, metadata: found } = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  expect(data).toEqual({ since: found.creationTimestamp.slice(0, 10) });
  expect(found.managedFields).toEqual([expect.objectContaining({ fieldsV1: { 'f:data': { '.': {}, 'f:since': {} } } })]);
});
