import { expect, test } from 'vitest';
import { causesOf } from '../../harness/causes-of.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** A server writes the members of objects of built-in kinds in the order of their Go types, and the keys of maps sorted. */
const testEnvironment = await TestEnvironment.create('member-order');
const { cluster, namespace } = testEnvironment;

const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`;
const services = `/api/v1/namespaces/${namespace}/services`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
const patch = (path: string, type: string, body: unknown) =>
  cluster.client.call('PATCH', path, { contentType: `application/${type}`, body });

const rule = { resources: ['pods'], apiGroups: [''], resourceNames: ['a'], verbs: ['get'] };
const ruleText = '{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]}';

test.each<readonly [type: string, body: unknown, rules: string]>([
  ['merge-patch+json', { rules: [rule] }, `[${ruleText}]`],
  ['strategic-merge-patch+json', { rules: [rule, rule] }, `[${ruleText},${ruleText}]`],
  ['json-patch+json', [{ op: 'replace', path: '/rules/0', value: rule }], `[${ruleText}]`],
])('a rule that is patched by %s', async (type, body, rules) => {
  const name = type.split('+')[0] as string;
  await cluster.client.call('POST', roles, {
    body: { rules: [{ resources: ['x'], verbs: ['get'], apiGroups: [''] }], metadata: { name } },
  });
  expect(JSON.stringify((await patch(`${roles}/${name}`, type, body)).rules)).toBe(rules);
  const read = await cluster.client.call('GET', `${roles}/${name}`);
  expect([JSON.stringify(read.rules), Object.keys(read)]).toEqual([rules, ['kind', 'apiVersion', 'metadata', 'rules']]);
});

test('an object that is created by an apply', async () => {
  const object = { rules: [rule], metadata: { annotations: { b: '1', a: '2' }, labels: { z: '1', c: '2' }, name: 'applied' } };
  const query = { fieldManager: 'test' };
  const body = { ...object, kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1' };
  const applied = await cluster.client.call('PATCH', `${roles}/applied`, { contentType: 'application/apply-patch+yaml', body, query });
  const { managedFields: _, uid: __, resourceVersion: ___, creationTimestamp: ____, ...metadata } = applied.metadata;
  expect(JSON.stringify(metadata)).toBe(
    `{"name":"applied","namespace":"${namespace}","labels":{"c":"2","z":"1"},"annotations":{"a":"2","b":"1"}}`,
  );
  expect(JSON.stringify(applied.rules)).toBe(`[${ruleText}]`);
});

test('ports of a Service, also with what the server adds', async () => {
  const spec = { selector: { b: '1', a: '2' }, clusterIP: 'None', ports: [{ protocol: 'TCP', port: 80, name: 'a' }] };
  await cluster.client.call('POST', services, { body: { metadata: { name: 'ports' }, spec } });
  const port = { targetPort: 3, appProtocol: 'x', port: 81, name: 'b' };
  const patched = await patch(`${services}/ports`, 'strategic-merge-patch+json', { spec: { ports: [port] } });
  expect(JSON.stringify(patched.spec.ports)).toBe(
    '[{"name":"b","protocol":"TCP","appProtocol":"x","port":81,"targetPort":3},{"name":"a","protocol":"TCP","port":80,"targetPort":80}]',
  );
  expect(Object.keys(patched.spec).slice(0, 4)).toEqual(['ports', 'selector', 'clusterIP', 'clusterIPs']);
  expect(JSON.stringify(patched.spec.selector)).toBe('{"a":"2","b":"1"}');
});

test('structs inside of structs, defaults among them, and a status', async () => {
  const labels = { b: '2', a: '1' };
  const probe = { periodSeconds: 3, httpGet: { port: 80, path: '/' } };
  const resources = { requests: { memory: '1Gi', cpu: '1' } };
  const volumes = [{ configMap: { items: [{ path: 'p', key: 'k' }], name: 'x' }, name: 'v' }];
  const container = { volumeMounts: [{ mountPath: '/a', name: 'v' }], resources, livenessProbe: probe, image: 'busybox', name: 'main' };
  const template = { spec: { volumes, containers: [container] }, metadata: { labels } };
  await cluster.client.call('POST', deployments, {
    body: { metadata: { name: 'web' }, spec: { template, selector: { matchLabels: labels } } },
  });
  const read = await cluster.client.call('GET', `${deployments}/web`);
  expect(JSON.stringify(read.spec)).toBe(
    '{"replicas":1,"selector":{"matchLabels":{"a":"1","b":"2"}},"template":{"metadata":{"labels":{"a":"1","b":"2"}},"spec":{"volumes":[{"name":"v","configMap":{"name":"x","items":[{"key":"k","path":"p"}],"defaultMode":420}}],"containers":[{"name":"main","image":"busybox","resources":{"requests":{"cpu":"1","memory":"1Gi"}},"volumeMounts":[{"name":"v","mountPath":"/a"}],"livenessProbe":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":3,"successThreshold":1,"failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600}',
  );
  const status = { replicas: 3, observedGeneration: 1 };
  const written = await patch(`${deployments}/web/status`, 'merge-patch+json', { status });
  expect(JSON.stringify(written.status)).toBe('{"observedGeneration":1,"replicas":3}');
});

test('a value in a message', async () => {
  const selector = { matchExpressions: [{ values: ['a'], operator: 'In', key: 'a' }], matchLabels: { a: 'b' } };
  const body = { metadata: { name: 'shown' }, spec: { selector, maxUnavailable: 1, minAvailable: 1 } };
  await expect(causesOf(cluster.client.call('POST', budgets, { body }))).resolves.toEqual([
    'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"a","operator":"In","values":["a"]}]},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
  ]);
});
