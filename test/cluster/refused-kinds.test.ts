import { expect, test } from 'vitest';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('refused-kinds');
const { cluster, namespace } = testEnvironment;

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'busybox' }] } };
const policy = (ipBlock: object) => ({ podSelector: {}, ingress: [{ from: [{ ipBlock }] }] });
const block = 'spec.ingress[0].from[0].ipBlock.cidr';

test.each([
  ['v1', 'ReplicationController', { selector: { app: 'other' }, template }, '`selector` does not match template `labels`'],
  [
    'v1',
    'ReplicationController',
    { selector: { app: 'web' }, template: { ...template, spec: { containers: [] } } },
    'spec.template.spec.containers: Required value',
  ],
  ['v1', 'ReplicationController', {}, '[spec.selector: Required value, spec.template: Required value]'],
  ['v1', 'PersistentVolumeClaim', {}, '[spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: '],
  ['apps/v1', 'DaemonSet', { selector: {}, template }, 'empty selector is invalid for daemonset'],
  ['apps/v1', 'ReplicaSet', { selector: {}, template }, 'empty selector is invalid for deployment'],
  ['apps/v1', 'StatefulSet', { selector: {}, template }, 'empty selector is invalid for statefulset'],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    policy({ cidr: '10.0.0.0/8z' }),
    `${block}: Invalid value: "10.0.0.0/8z": must be a valid CIDR`,
  ],
  ['networking.k8s.io/v1', 'NetworkPolicy', policy({ cidr: '' }), `${block}: Required value`],
])('%s %s is refused %#', async (apiVersion, kind, spec, text) => {
  const object = { apiVersion, kind, metadata: { name: 'refused', namespace } };
  await expect(cluster.create('author', { ...object, spec })).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(text) },
  });
});

test.each([
  ['', 'a'.repeat(260), 'metadata.name: Invalid value: "a{260}": must be no more than 253 characters'],
  ['Main_', 'main', 'metadata.generateName: Invalid value: "Main_": a lowercase RFC 1123 subdomain must consist'],
  ['main.', undefined, 'metadata.generateName: Invalid value: "main.": a lowercase RFC 1123 subdomain must consist'],
])('the names %j and %j are refused', async (generateName, name, text) => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, generateName, name } };
  await expect(cluster.create('author', object)).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(new RegExp(text.replaceAll(/[.]/g, String.raw`\$&`))) },
  });
});
