import { deepStrictEqual } from 'node:assert';
import { builderTypeOf } from 'fieldwise/builders';
import {
  container,
  containerPort,
  deployment,
  deploymentSpec,
  deploymentStatus,
  persistentVolumeClaim,
  podSpec,
  podTemplateSpec,
  statefulSet,
} from 'fieldwise/k8s/apps/v1';
import { namespace, secret, service, servicePort, serviceSpec } from 'fieldwise/k8s/core/v1';
import { objectMeta } from 'fieldwise/k8s/meta/v1';
import { expect, test } from 'vitest';

const spec = (build: { build(): unknown }) => (build.build() as { spec: unknown }).spec;
const pod = (builder: ReturnType<typeof podSpec>) => builder.build() as unknown;

test('a fluent program and a literal mean the same object', () => {
  const fluent = deployment('web', 'shop').withSpec(
    deploymentSpec()
      .withReplicas(2)
      .withTemplate(podTemplateSpec().withSpec(podSpec().withContainers(container('web').withImage('nginx')))),
  );
  const literal = deployment('web', 'shop').withSpec({
    replicas: 2,
    template: { spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  });
  const expected = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { replicas: 2, template: { spec: { containers: [{ name: 'web', image: 'nginx' }] } } },
  };
  expect(fluent.build()).toEqual(expected);
  expect(literal.build()).toEqual(expected);
  expect(Object.keys(fluent.build())).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
});

test('a builder never changes: each call returns a new one', () => {
  const one = podSpec().withContainers(container('a'));
  const two = one.withContainers(container('b'));
  expect(pod(one)).toEqual({ containers: [{ name: 'a' }] });
  expect(pod(two)).toEqual({ containers: [{ name: 'a' }, { name: 'b' }] });
});

test.each([
  [
    'a keyed list upserts by its key',
    podSpec().withContainers(container('a'), container('b')).withContainers({ name: 'a', image: 'x' }),
    { containers: [{ name: 'a', image: 'x' }, { name: 'b' }] },
  ],
  [
    'a key that defaults counts as its default',
    container('c').withPorts(containerPort(80), containerPort(80, 'UDP')).withPorts({ containerPort: 80, protocol: 'TCP', name: 'http' }),
    {
      name: 'c',
      ports: [
        { containerPort: 80, protocol: 'TCP', name: 'http' },
        { containerPort: 80, protocol: 'UDP' },
      ],
    },
  ],
  ['a set keeps each value once', objectMeta().withFinalizers('a', 'b').withFinalizers('b', 'c'), { finalizers: ['a', 'b', 'c'] }],
  ['an atomic list is replaced', container('c').withArgs(['a', 'b']).withArgs(['c']), { name: 'c', args: ['c'] }],
  ['a map of free keys merges', objectMeta().withLabels({ a: '1', b: '1' }).withLabels({ b: '2' }), { labels: { a: '1', b: '2' } }],
  ['an atomic map is replaced', serviceSpec().withSelector({ a: '1' }).withSelector({ b: '2' }), { selector: { b: '2' } }],
  [
    'empties are kept as written',
    podSpec().withSecurityContext({}).withContainers().set('volumes', [{}].slice(1)),
    { securityContext: {}, containers: [], volumes: [] },
  ],
  [
    'undefined is not declared',
    podSpec().withHostNetwork(true).set('hostNetwork', undefined).withSecurityContext({ runAsUser: undefined }),
    { securityContext: {} },
  ],
  ['null of a creationTimestamp, as Go programs write it, is not declared', objectMeta().set('creationTimestamp', null), {}],
  [
    'an int-or-string takes both',
    serviceSpec().withPorts(servicePort(80).withTargetPort('http'), servicePort(81).withTargetPort(8081)),
    {
      ports: [
        { port: 80, targetPort: 'http' },
        { port: 81, targetPort: 8081 },
      ],
    },
  ],
  [
    'a quantity takes both',
    container('c').withResources({ limits: { cpu: 1, memory: '1Gi' } }),
    { name: 'c', resources: { limits: { cpu: 1, memory: '1Gi' } } },
  ],
])('%s', (_, builder, expected) => {
  expect(builder.build()).toEqual(expected);
});

test('the mark of a spread that had no items shows in no comparison of a user', () => {
  const built = podSpec()
    .withContainers(...[])
    .build();
  expect(built).toStrictEqual({ containers: [] });
  expect({ containers: [] }).toStrictEqual(built);
  deepStrictEqual(built, { containers: [] });
  expect(JSON.stringify(built)).toBe('{"containers":[]}');
});

test('metadata keeps the identity that the constructor gave', () => {
  expect(
    deployment('web', 'shop')
      .withMetadata({ labels: { a: 'b' } })
      .build(),
  ).toMatchObject({ metadata: { name: 'web', namespace: 'shop', labels: { a: 'b' } } });
  expect(
    deployment('web', 'shop')
      .withMetadata(objectMeta().withLabels({ a: 'b' }))
      .build(),
  ).toMatchObject({ metadata: { name: 'web', namespace: 'shop', labels: { a: 'b' } } });
});

test('status is a root of its own', () => {
  const status = deploymentStatus('web', 'shop').withStatus({ conditions: [{ type: 'Ready', status: 'True' }] });
  expect(status.build()).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  expect(builderTypeOf(status)?.root).toMatchObject({ kind: 'Deployment', subresource: 'status' });
});

test('a kind that is part of another object carries no apiVersion there', () => {
  const claim = persistentVolumeClaim('data').withSpec({ storageClassName: 'fast' });
  expect(spec(statefulSet('db').withSpec({ volumeClaimTemplates: [claim] }))).toEqual({
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { storageClassName: 'fast' } }],
  });
});

test('builders stand anywhere inside a literal', () => {
  expect(
    pod(
      podSpec()
        .withVolumes({ name: 'v', projected: { sources: [{ secret: { items: [] } }] } })
        .withContainers({ name: 'c', ports: [containerPort(80)] }),
    ),
  ).toEqual({
    volumes: [{ name: 'v', projected: { sources: [{ secret: { items: [] } }] } }],
    containers: [{ name: 'c', ports: [{ containerPort: 80 }] }],
  });
});

test('every builder says its type; whole objects say their root', () => {
  expect(builderTypeOf(service('a'))?.root).toMatchObject({ apiVersion: 'v1', kind: 'Service', scope: 'Namespaced' });
  expect(builderTypeOf(namespace('a'))?.root).toMatchObject({ kind: 'Namespace', scope: 'Cluster' });
  expect(builderTypeOf(podSpec())).toMatchObject({ type: { name: 'core/v1.PodSpec' } });
  expect(builderTypeOf(podSpec())?.root).toBeUndefined();
  expect(builderTypeOf({})).toBeUndefined();
});

test('JSON.stringify of a builder is the object it builds', () => {
  expect(JSON.parse(JSON.stringify(secret('s').withStringData({ a: 'b' })))).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { a: 'b' },
  });
});
