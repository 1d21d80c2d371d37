import { builderTypeOf, buildLiteral, fromObject } from 'fieldwise/builders';
import { container, controllerRevision, deployment, podSpec } from 'fieldwise/k8s/apps/v1';
import { configMap, namespace, secret, service, serviceSpec } from 'fieldwise/k8s/core/v1';
import { objectMeta } from 'fieldwise/k8s/meta/v1';
import { expect, test } from 'vitest';

/** What a plain JavaScript program, or a literal that lost its type on the way, may hand over. */
const anything = (value: unknown) => value as never;
const circle: Record<string, unknown> = {};
circle.affinity = circle;

test.each([
  [
    'an unknown field',
    deployment('w').withSpec(anything({ replcas: 1 })),
    '.spec.replcas',
    /unknown field "replcas"; did you mean "replicas"\?/,
  ],
  ['an unknown field set by name', podSpec().set('hostname ', 'x'), '["hostname "]', /unknown field/],
  ['a wrong scalar', deployment('w').withSpec(anything({ replicas: '2' })), '.spec.replicas', /expected an integer, got "2"/],
  ['a fraction', deployment('w').withSpec({ replicas: 1.5 }), '.spec.replicas', /expected an integer, got 1.5/],
  [
    'half a character',
    deployment('w').withSpec({ paused: true, template: { spec: { hostname: 'a\ud83d' } } } as never),
    '.spec.template.spec.hostname',
    /not valid Unicode/,
  ],
  ['an integer out of range', deployment('w').withSpec({ replicas: 2 ** 40 }), '.spec.replicas', /out of the range of int32/],
  ['not a number', deployment('w').withSpec({ replicas: Number.NaN }), '.spec.replicas', /NaN is not a JSON number/],
  ['a boolean quantity', container('c').withResources(anything({ limits: { cpu: true } })), '.resources.limits.cpu', /expected a quantity/],
  [
    'a fraction as int-or-string',
    serviceSpec().withPorts({ port: 1, targetPort: 1.5 }),
    '.ports[port=1].targetPort',
    /an integer or a string/,
  ],
  ['a Date', podSpec().withVolumes(anything({ name: 'v', csi: new Date() })), '.volumes[name="v"].csi', /toISOString/],
  ['a date that is a number', objectMeta().withCreationTimestamp(anything(5)), '.creationTimestamp', /date-time/],
  ['an enum value', serviceSpec().withType(anything('Loadbalancer')), '.type', /"Loadbalancer" is not one of "ClusterIP"/],
  ['an object where a list stands', podSpec().set('containers', {}), '.containers', /expected a list, got an object/],
  ['a list where an object stands', podSpec().set('securityContext', []), '.securityContext', /expected an object, got a list/],
  ['a missing key', podSpec().withContainers(anything({ image: 'x' })), '.containers[0]', /list map key "name" is missing/],
  [
    'a key missing beside another',
    container('c').withPorts(anything({ protocol: 'TCP' })),
    '.ports[protocol="TCP"]',
    /list map key "containerPort" is missing/,
  ],
  ['a key of null', podSpec().withContainers(anything({ name: null })), '.containers[0]', /list map key "name" is missing/],
  ['two items of one key', podSpec().withContainers({ name: 'a' }, { name: 'a', image: 'x' }), '.containers[name="a"]', /same key/],
  [
    'two items of one key, one by default',
    serviceSpec().withPorts({ port: 80 }, { port: 80, protocol: 'TCP' }),
    '.ports[port=80,protocol="TCP"]',
    /same key/,
  ],
  ['an undefined item', podSpec().withContainers(anything(undefined)), '.containers[0]', /undefined/],
  ['a text as keyed item', podSpec().withContainers(anything('web')), '.containers[0]', /must be an object/],
  ['an object in a set', objectMeta().withFinalizers(anything({})), '.finalizers[0]', /item of a set/],
  [
    'a builder of another type',
    deployment('w').withSpec(anything(service('s'))),
    '.spec',
    /core\/v1.Service where apps\/v1.DeploymentSpec/,
  ],
  ['a value that contains itself', podSpec().withAffinity(anything(circle)), undefined, /./],
  ['another kind', deployment('w').set('kind', 'Pod'), '.kind', /"Pod" is not Deployment/],
  ['status on the main root', deployment('w').set('status', {}), '.status', /status subresource/],
  ['a namespace on a cluster-scoped object', namespace('n').withMetadata({ namespace: 'x' }), '.metadata.namespace', /no namespace/],
])('%s', (_, builder, field, message) => {
  const place = field === undefined ? {} : { location: expect.objectContaining({ field }) };
  expect(() => builder.build()).toThrow(
    expect.objectContaining({ code: 'intent-invalid', kind: 'usage', message: expect.stringMatching(message), ...place }),
  );
});

const nothing = anything(undefined);
const key = /: undefined, but a key of a map has a value: leave the key out, or give it one$/;

test.each([
  ['a map of texts', configMap('c', 'n').withData({ a: nothing, b: 'x' }), '.data.a'],
  ['its last key', configMap('c', 'n').withData({ a: nothing }), '.data.a'],
  ['a map that grows', configMap('c').withData({ a: 'x' }).withData({ a: nothing }), '.data.a'],
  ['a name that needs quotes', configMap('c').withData({ 'a.b/c': nothing }), '.data["a.b/c"]'],
  ['a value of a Secret', secret('s').withStringData({ password: nothing }), '.stringData.password'],
  ['labels in a literal', deployment('w').withMetadata({ labels: { team: nothing } }), '.metadata.labels.team'],
  [
    'annotations of a builder',
    deployment('w').withMetadata(objectMeta().withAnnotations({ 'a.b/c': nothing })),
    '.metadata.annotations["a.b/c"]',
  ],
  [
    'labels deep inside a literal',
    deployment('w').withSpec({ template: { metadata: { labels: { app: 'w', v: nothing } } } }),
    '.spec.template.metadata.labels.v',
  ],
  ['an atomic map', podSpec().withNodeSelector({ disk: nothing }), '.nodeSelector.disk'],
  ['quantities', container('c').withResources({ limits: { cpu: nothing } }), '.resources.limits.cpu'],
  [
    'a map in a builder in a list in a literal',
    fromObject(podSpec, { containers: [container('c').withResources({ limits: { cpu: nothing } })] }),
    '.containers[name="c"].resources.limits.cpu',
  ],
  ['content without a schema', controllerRevision('r').withData({ a: { b: [{ c: nothing }] } }), '.data.a.b[0].c'],
])('a key without a value: %s', (_, builder, field) => {
  expect(() => builder.build()).toThrow(
    expect.objectContaining({
      code: 'intent-invalid',
      message: expect.stringMatching(key),
      location: expect.objectContaining({ field }),
    }),
  );
});

test.each([
  ['an atomic list', container('c').withArgs(['x', nothing]), '.args[1]'],
  [
    'an atomic list in a literal',
    fromObject(podSpec, { containers: [{ name: 'c', args: ['x', nothing] }] }),
    '.containers[name="c"].args[1]',
  ],
  ['a set', objectMeta().withFinalizers('a.b/c', nothing), '.finalizers[1]'],
  ['a set in a literal', deployment('w').withMetadata({ finalizers: [nothing] }), '.metadata.finalizers[0]'],
  ['a keyed list', podSpec().withContainers(container('c'), nothing), '.containers[1]'],
  [
    'a keyed list in a literal',
    deployment('w').withSpec({ template: { spec: { containers: [nothing] } } }),
    '.spec.template.spec.containers[0]',
  ],
  ['a hole', container('c').withArgs(anything(Array(1))), '.args[0]'],
  ['a list without a schema', controllerRevision('r').withData({ a: [1, nothing] }), '.data.a[1]'],
])('an item that is undefined: %s', (_, builder, field) => {
  expect(() => builder.build()).toThrow(
    expect.objectContaining({
      code: 'intent-invalid',
      location: expect.objectContaining({ field }),
      message: expect.stringContaining('undefined'),
    }),
  );
});

test('an undefined field of a type is not declared, deep in a literal, too', () => {
  const spec = {
    replicas: nothing,
    template: { metadata: { labels: nothing }, spec: { hostNetwork: nothing, containers: [{ name: 'c', args: nothing }] } },
  };
  const built = deployment('w', 'shop').withMetadata({ name: nothing, labels: nothing }).withSpec(spec).build();
  expect(built).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'w', namespace: 'shop' },
    spec: { template: { metadata: {}, spec: { containers: [{ name: 'c' }] } } },
  });
});

test('an error names the path, the construct and the source, and all other problems', () => {
  const wrong = deployment('web', 'shop').withSpec(
    anything({ replicas: '2', template: { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, nam: 1 }] }] } } }),
  );
  let error: unknown;
  try {
    wrong.build({ construct: 'shop/web', source: 'main.ts:3:1' });
  } catch (thrown) {
    error = thrown;
  }
  expect((error as { describe(): string }).describe()).toBe(
    'Declared intent does not fit its schema: .spec.replicas: expected an integer, got "2"; also .spec.template.spec.containers[name="a"].ports[containerPort=80].nam: ' +
      'unknown field "nam"; did you mean "name"? Where: Deployment shop/web, declared by shop/web (main.ts:3:1). ' +
      'Correct the declaration.',
  );
});

test.each([[''], [undefined as never]])('an object without a name (%j)', (name) => {
  expect(() => deployment(name).build()).toThrow(
    expect.objectContaining({ code: 'intent-without-name', location: expect.objectContaining({ field: '.metadata.name' }) }),
  );
});

test('a plain literal is checked against a root', () => {
  const root = builderTypeOf(deployment('x'))!.root!;
  const spec = { template: { spec: podSpec().withContainers(container('a')) } };
  expect(buildLiteral(root, { metadata: { name: 'web' }, spec })).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'a' }] } } },
  });
  expect(() => buildLiteral(root, { apiVersion: 'v1', metadata: { name: 'web' } })).toThrow(/"v1" is not apps\/v1/);
  expect(() => buildLiteral(root, { metadata: { name: 'web' }, specs: {} })).toThrow(/did you mean "spec"/);
  expect(() => buildLiteral(root, 'text')).toThrow(/an object is expected/);
});

test('names of Object.prototype are plain names', () => {
  const labels = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
  const built = objectMeta().withLabels(labels).withLabels({ toString: 'c' }).build();
  expect(JSON.stringify(built)).toBe('{"labels":{"__proto__":"a","constructor":"b","toString":"c"}}');
  expect(Object.getPrototypeOf(built.labels)).toBe(Object.prototype);
  expect(() => podSpec().set('constructor', 1).build()).toThrow(/unknown field "constructor"/);
});

test.each([
  ['a number', { data: { key: 918273645 as never } }, '.data.key'],
  ['no base64', { data: { key: 'planted!' } }, '.data.key'],
  ['no object', { stringData: 'planted' as never }, '.stringData'],
  ['a list', { stringData: { key: ['planted'] as never } }, '.stringData.key'],
])('the value of a Secret is not shown: %s', (_, value, path) => {
  const built = () => fromObject(secret, { metadata: { name: 'a' }, ...value }).build();
  expect(built).toThrow(`${path}: the value does not fit its type; values of Secrets are not shown`);
  expect(built).not.toThrow(/planted|918273645/);
});
