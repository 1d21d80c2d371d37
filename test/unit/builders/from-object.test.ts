import { fromObject } from 'fieldwise/builders';
import { container, deployment, deploymentStatus, podSpec } from 'fieldwise/k8s/apps/v1';
import { service } from 'fieldwise/k8s/core/v1';
import { expect, expectTypeOf, test } from 'vitest';
import { parse } from 'yaml';

const yaml = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec: { replicas: 2 }
`;

test('parsed YAML becomes a builder, and goes on as one', () => {
  const made = fromObject(deployment, parse(yaml));
  expectTypeOf(made).toEqualTypeOf(deployment('web'));
  expect(made.build()).toEqual(parse(yaml));
  expect(made.withSpec({ replicas: 3 }).build()).toEqual({ ...parse(yaml), spec: { replicas: 3 } });
  expect(Object.keys(made.build())).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
});

test('a literal may hold builders; apiVersion and kind may be left out', () => {
  const spec = { template: { spec: podSpec().withContainers(container('a')) } };
  expect(fromObject(deployment, { metadata: { name: 'web' }, spec }).build()).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'a' }] } } },
  });
});

test('it works for parts and for status roots', () => {
  expect(fromObject(podSpec, { nodeName: 'n' }).withContainers(container('a')).build()).toEqual({
    nodeName: 'n',
    containers: [{ name: 'a' }],
  });
  expect(fromObject(container, { name: 'a', image: undefined }).build()).toEqual({ name: 'a' });
  expect(fromObject(deploymentStatus, { metadata: { name: 'web' }, status: { replicas: 1 } }).build()).toMatchObject({
    kind: 'Deployment',
    status: { replicas: 1 },
  });
});

test('a builder of the type stays what it is', () => {
  const built = podSpec().withNodeName('n');
  expect(fromObject(podSpec, built as never)).toBe(built);
});

test.each([
  ['an unknown field', { metadata: { name: 'web' }, spec: { replcas: 1 } }, '.spec.replcas', /did you mean "replicas"\?/],
  ['another kind', { kind: 'Pod', metadata: { name: 'web' } }, '.kind', /"Pod" is not Deployment/],
  ['a status', { metadata: { name: 'web' }, status: {} }, '.status', /status subresource/],
  ['no name', {}, '.metadata.name', /without a name/],
])('what the schema forbids is refused by build(): %s', (_, value, field, message) => {
  expect(() => fromObject(deployment, value as never).build()).toThrow(
    expect.objectContaining({ message: expect.stringMatching(message), location: expect.objectContaining({ field }) }),
  );
});

test.each([[undefined], [null], ['text'], [[]], [new Date(0)], [service('s')]])('%j is no object of the type', (value) => {
  expect(() => fromObject(deployment, value as never)).toThrow(expect.objectContaining({ code: 'intent-invalid', kind: 'usage' }));
});
