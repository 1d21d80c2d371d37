import { expect, test } from 'vitest';
import { ApiCallError } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('selectors');
const { client } = testEnvironment.cluster;

for (const [name, labels] of Object.entries({ one: { tier: 'front', size: '3' }, two: { tier: 'back' }, three: {} })) {
  const object = testEnvironment.ref('v1', 'ConfigMap', name);
  await testEnvironment.cluster.create('test', { ...object, metadata: { ...object.metadata, labels } });
}

/** The names of a list in their order, or the message that refuses it. */
async function listed(resource: string, query: Record<string, string>): Promise<string> {
  const path = resource.replace('NAMESPACE', testEnvironment.namespace);
  try {
    const { items } = await client.call('GET', path, { query });
    return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).join(' ');
  } catch (error) {
    if (!(error instanceof ApiCallError) || error.status !== 400) throw error;
    return error.body.message;
  }
}

const configMaps = '/api/v1/namespaces/NAMESPACE/configmaps';
const labelKey = 'must consist of alphanumeric characters';

test.each([
  ['tier=front', 'one'],
  ['tier != front', 'three two'],
  ['tier in (front, back),size', 'one'],
  ['tier notin (front)', 'three two'],
  ['!tier', 'three'],
  ['size>2', 'one'],
  ['size<2', ''],
  ['tier in ()', ''],
  ['tier in (,front)', 'one'],
  ['in notin (in)', 'one three two'],
  ['tier in front', "unable to parse requirement: found 'front' expected: '('"],
  ['tier in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ['tier in (front', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['tier in (front,', "unable to parse requirement: found '', expected: ',', or identifier"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['!tier=front', "found '=', expected: ',' or 'end of string'"],
  ['tier front', "unable to parse requirement: found 'front', expected: in, notin, =, ==, !=, gt, lt"],
  ['tier=front,', "found '', expected: identifier after ','"],
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['tier=(front)', "unable to parse requirement: found '(', expected: identifier"],
  ['size>x', "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"],
])('label selector %s', async (labelSelector, expected) => {
  expect(await listed(configMaps, { labelSelector })).toBe(expected);
});

test.each([
  ['tier@', `unable to parse requirement: <nil>: Invalid value: "tier@": name part ${labelKey}`],
  ['a/b/c', `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key ${labelKey}`],
  ['a=b@', 'unable to parse requirement: values[0][a]: Invalid value: "b@": a valid label must be an empty string or consist of'],
  ['a in (b@,A@)', 'unable to parse requirement: [values[0][a]: Invalid value: "A@": a valid label'],
])('label selector %s has an invalid text', async (labelSelector, begin) => {
  expect(await listed(configMaps, { labelSelector })).toContain(begin);
});

test.each([
  [configMaps, 'metadata.name=one', 'one'],
  [configMaps, 'metadata.name!=one', 'three two'],
  [configMaps, 'metadata.namespace=other', ''],
  [configMaps, 'data.key=value', '"data.key" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  [configMaps, 'metadata.name = one', '"metadata.name " is not a known field selector: only "metadata.name", "metadata.namespace"'],
  [configMaps, 'metadata.name=a,b', "invalid selector: 'metadata.name=a,b'; can't understand 'b'"],
  [configMaps, 'metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
  [configMaps, 'metadata.name=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
  [configMaps, 'metadata.name=a\\,b', ''],
  ['/api/v1/namespaces/NAMESPACE/pods', 'spec.image=x', 'field label not supported: spec.image'],
  ['/api/v1/nodes', 'metadata.namespace=x', 'field label not supported: metadata.namespace'],
  ['/apis/batch/v1/jobs', 'status.failed=0', 'field label "status.failed" not supported for Job'],
  [
    '/apis/resource.k8s.io/v1/resourceslices',
    'spec.pool=x',
    'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool',
  ],
])('field selector of %s: %s', async (resource, fieldSelector, expected) => {
  expect(await listed(resource, { fieldSelector })).toBe(expected);
});

test('a field that an object does not have has the value of its type', async () => {
  const pods = '/api/v1/namespaces/NAMESPACE/pods';
  const pod = testEnvironment.ref('v1', 'Pod', 'pod');
  await testEnvironment.cluster.create('test', { ...pod, spec: { containers: [{ name: 'main', image: 'busybox' }] } });
  expect(await listed(pods, { fieldSelector: 'spec.hostNetwork=false,spec.nodeName=,status.phase=Pending' })).toBe('pod');
  expect(await listed(pods, { fieldSelector: 'spec.host!=' })).toBe('');
});

test('a selector refuses a watch and a deletion of a collection as it refuses a list', async () => {
  const query = { fieldSelector: 'data.key=value' };
  expect(await listed(configMaps, { ...query, watch: 'true' })).toMatch(/not a known field selector/);
  const removal = client.call('DELETE', configMaps.replace('NAMESPACE', testEnvironment.namespace), { query });
  await expect(removal).rejects.toMatchObject({ status: 400 });
});

test('a custom resource selects by the fields that its version declares', async () => {
  const group = `${testEnvironment.namespace}.example.com`;
  const [selectableFields, type] = [[{ jsonPath: '.spec.port' }], 'object'];
  const spec = { type, properties: { port: { type: 'string' }, size: { type: 'integer' } } };
  const schema = { openAPIV3Schema: { type, properties: { spec } } };
  await testEnvironment.crd({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `ships.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'ships', kind: 'Ship' },
      versions: [{ name: 'v1', served: true, storage: true, schema, selectableFields }],
    },
  });
  const ships = `/apis/${group}/v1/namespaces/NAMESPACE/ships`;
  for (const port of ['north', 'south'])
    await testEnvironment.cluster.create('test', { ...testEnvironment.ref(`${group}/v1`, 'Ship', port), spec: { port, size: 1 } });
  expect(await listed(ships, { fieldSelector: 'spec.port=south' })).toBe('south');
  expect(await listed(ships, { fieldSelector: 'spec.size=1' })).toBe('field label not supported: spec.size');
});
