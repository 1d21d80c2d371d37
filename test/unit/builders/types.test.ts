import { deployment, deploymentSpec, deploymentStatus, replicaSetSpec, statefulSetSpec } from 'fieldwise/k8s/apps/v1';
import type { ContainerApply, ContainerBuilder, PodSpecApply } from 'fieldwise/k8s/core/v1';
import {
  container,
  containerPort,
  envVarSource,
  localObjectReference,
  namespace,
  podSpec,
  secretKeySelector,
  service,
  serviceSpec,
  topologySpreadConstraint,
} from 'fieldwise/k8s/core/v1';
import { expect, expectTypeOf, test } from 'vitest';

/**
 * Promises about types. `tsc` checks this file; each `@ts-expect-error` is a program that must not compile. The functions are
 * never called: most of them would throw.
 */
function rejected(): unknown[] {
  return [
    // @ts-expect-error a builder of another type
    deployment('w').withSpec(replicaSetSpec()),
    // @ts-expect-error a builder of another type, although every field of both is optional
    deployment('w').withSpec(statefulSetSpec()),
    // @ts-expect-error a builder of another type with the very same methods
    envVarSource().withConfigMapKeyRef(secretKeySelector()),
    // @ts-expect-error a whole object is no spec
    deployment('w').withSpec(deployment('x')),
    // @ts-expect-error an unknown field of a literal
    deployment('w').withSpec({ replcas: 1 }),
    // @ts-expect-error an unknown field deep in a literal
    deployment('w').withSpec({ template: { spec: { containers: [{ name: 'a', imag: 'x' }] } } }),
    // @ts-expect-error a wrong scalar
    deploymentSpec().withReplicas('2'),
    // @ts-expect-error a keyed item without its key
    podSpec().withContainers({ image: 'x' }),
    // @ts-expect-error a keyed item whose key is undefined
    podSpec().withContainers({ name: undefined }),
    // @ts-expect-error a key of a map whose value may be undefined
    podSpec().withNodeSelector({ disk: process.env.DISK }),
    // @ts-expect-error an item that may be undefined
    container('a').withArgs(['x', process.env.ARGUMENT]),
    // @ts-expect-error a label deep in a literal whose value may be undefined
    deployment('w').withSpec({ template: { metadata: { labels: { app: process.env.APP } } } }),
    // @ts-expect-error a constructor without its key
    container(),
    // @ts-expect-error one of two keys is missing
    topologySpreadConstraint('zone'),
    // @ts-expect-error an enum value that is none
    serviceSpec().withType('Loadbalancer'),
    // @ts-expect-error an atomic list takes a list, not items
    container('c').withArgs('a', 'b'),
    // @ts-expect-error there is no method that adds to an atomic list
    container('c').withArgs('a'),
    // @ts-expect-error a keyed list takes items, not a list
    podSpec().withContainers([container('a')]),
    // @ts-expect-error a cluster-scoped object has no namespace
    namespace('n', 'x'),
    // @ts-expect-error the main builder has no status
    deployment('w').withStatus({}),
    // @ts-expect-error the status builder has no spec
    deploymentStatus('w').withSpec({}),
    // @ts-expect-error null is for nullable fields
    podSpec().withNodeName(null),
  ];
}

/** Programs that must compile. */
function accepted(): unknown[] {
  const items = ['a', 'b'] as const;
  const shared: readonly ContainerBuilder[] = [container('a')];
  return [
    podSpec().withContainers(...shared, { name: 'b', ports: [containerPort(80), { containerPort: 81 }] }),
    container('c').withArgs(items),
    serviceSpec().withPorts({ port: 80 }, { port: 81, protocol: 'UDP', targetPort: 'http' }),
    podSpec().withImagePullSecrets({}, localObjectReference(), localObjectReference('x')),
    podSpec().withNodeName('a').set('nodeName', undefined).withHostNetwork(true),
    deployment('w').withSpec({ replicas: undefined }),
    // A key belongs to the position: elsewhere the same type needs none.
    service('s').withSpec({ ports: [{ port: 1 }], selector: { a: 'b' } }),
  ];
}

test('types read as they are written', () => {
  expectTypeOf(podSpec().withNodeName).parameter(0).toEqualTypeOf<string>();
  expectTypeOf(podSpec().withNodeName('x')).toEqualTypeOf(podSpec());
  expectTypeOf<PodSpecApply['hostname']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<ContainerApply['args']>().toEqualTypeOf<readonly string[] | undefined>();
  expectTypeOf<ContainerApply['imagePullPolicy']>().toEqualTypeOf<'Always' | 'IfNotPresent' | 'Never' | undefined>();
  expectTypeOf(containerPort).parameters.toEqualTypeOf<[containerPort: number, protocol?: 'SCTP' | 'TCP' | 'UDP' | undefined]>();
  expectTypeOf(deployment).parameters.toEqualTypeOf<[name: string, namespace?: string | undefined]>();
  expect([rejected, accepted]).toHaveLength(2);
});
