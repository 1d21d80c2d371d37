import { expect, test } from 'vitest';
import { causesOf } from '../../harness/causes-of.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** By which words a server refuses classes of devices, and what drivers publish of theirs. */
const testEnvironment = await TestEnvironment.create('slices');
const { cluster, namespace } = testEnvironment;

const slice = (s: object) => ({
  driver: 'driver.example.com',
  pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
  nodeName: 'worker',
  ...s,
});
const device = (d: object) => slice({ devices: [{ name: 'a', ...d }] });
const pool = (p: object) => slice({ pool: { name: 'pool', generation: 1, resourceSliceCount: 1, ...p } });
const attribute = (a: object) => device({ attributes: { model: a } });
const term = (key: string) => ({ matchExpressions: [{ key, operator: 'Exists' }] });

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const identifier =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const oneNode = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
const oneOfDevice =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';

type Row = readonly [spec: object, causes: readonly string[]];

let made = 0;
function named(kind: string, spec: object) {
  made += 1;
  const object = { apiVersion: 'resource.k8s.io/v1', kind, metadata: { name: `${namespace}-${made}` }, spec };
  testEnvironment.removeLater(object);
  return object;
}
const causesFor = (kind: string, spec: object) => causesOf(cluster.create('test', named(kind, spec)));

test.each<Row>([
  [{}, []],
  [{ selectors: [{}] }, ['spec.selectors[0].cel: Required value']],
  [{ selectors: [{ cel: { expression: 'true' } }, {}] }, ['spec.selectors[1].cel: Required value']],
  [{ config: [{}] }, ['spec.config[0].opaque: Required value']],
  [{ config: [{ opaque: {} }] }, ['spec.config[0].opaque.driver: Required value', 'spec.config[0].opaque.parameters: Required value']],
  [{ config: [{ opaque: { driver: 'A_b', parameters: { a: 1 } } }] }, [`spec.config[0].opaque.driver: Invalid value: "A_b": ${subdomain}`]],
  [{ config: [{ opaque: { driver: 'a.example.com' } }] }, ['spec.config[0].opaque.parameters: Required value']],
  [{ config: [{ opaque: { driver: 'a.example.com', parameters: {} } }] }, []],
  [
    { config: [{ opaque: { driver: 'a'.repeat(64), parameters: {} } }] },
    ['spec.config[0].opaque.driver: Too long: may not be more than 63 bytes'],
  ],
  [{ extendedResourceName: 'gpu' }, ['spec.extendedResourceName: Invalid value: "gpu": must be a valid extended resource name']],
  [{ extendedResourceName: 'example.com/gpu' }, []],
  [
    { extendedResourceName: 'kubernetes.io/gpu' },
    ['spec.extendedResourceName: Invalid value: "kubernetes.io/gpu": must be a valid extended resource name'],
  ],
  [
    { extendedResourceName: 'requests.example.com/gpu' },
    ['spec.extendedResourceName: Invalid value: "requests.example.com/gpu": must be a valid extended resource name'],
  ],
  [
    { extendedResourceName: 'example.com/g pu' },
    ['spec.extendedResourceName: Invalid value: "example.com/g pu": must be a valid extended resource name'],
  ],
  [{ extendedResourceName: '' }, ['spec.extendedResourceName: Invalid value: "": must be a valid extended resource name']],
  [
    { selectors: Array.from({ length: 33 }, () => ({ cel: { expression: 'true' } })) },
    ['spec.selectors: Too many: 33: must have at most 32 items'],
  ],
  [
    { config: Array.from({ length: 33 }, () => ({ opaque: { driver: 'a.b', parameters: {} } })) },
    ['spec.config: Too many: 33: must have at most 32 items'],
  ],
  [{ config: [{ opaque: { driver: 'A.example.com', parameters: {} } }] }, []],
])('DeviceClass %#', async (spec, expected) => {
  expect(await causesFor('DeviceClass', spec)).toEqual(expected);
});

test.each<Row>([
  [slice({}), []],
  [
    {},
    [
      'spec.driver: Required value',
      'spec.pool.name: Required value',
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      `spec: Required value: ${oneNode}`,
    ],
  ],
  [slice({ driver: '' }), ['spec.driver: Required value']],
  [slice({ driver: 'A_b' }), [`spec.driver: Invalid value: "A_b": ${subdomain}`]],
  [slice({ driver: `${'a'.repeat(60)}.com` }), ['spec.driver: Too long: may not be more than 63 bytes']],
  [pool({ name: '' }), ['spec.pool.name: Required value']],
  [pool({ name: 'A/b' }), [`spec.pool.name: Invalid value: "A": ${subdomain}`]],
  [pool({ name: 'a/' }), [`spec.pool.name: Invalid value: "": ${subdomain}`]],
  [pool({ name: 'a/b.c' }), []],
  [pool({ resourceSliceCount: 0 }), ['spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero']],
  [pool({ resourceSliceCount: undefined }), ['spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero']],
  [pool({ generation: -1 }), ['spec.pool.generation: Invalid value: -1: must be greater than or equal to zero']],
  [
    pool({ name: 'a'.repeat(254) }),
    [
      'spec.pool.name: Too long: may not be more than 253 bytes',
      `spec.pool.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 characters`,
    ],
  ],
  [
    slice({ nodeName: '' }),
    ['spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string', `spec: Required value: ${oneNode}`],
  ],
  [slice({ nodeName: undefined }), [`spec: Required value: ${oneNode}`]],
  [slice({ nodeName: 'A_' }), [`spec.nodeName: Invalid value: "A_": ${subdomain}`]],
  [slice({ allNodes: true }), [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${oneNode}, but multiple fields are set`]],
  [
    slice({ nodeName: undefined, allNodes: false }),
    ['spec.allNodes: Invalid value: false: must be either unset or set to true', `spec: Required value: ${oneNode}`],
  ],
  [slice({ nodeName: undefined, allNodes: true }), []],
  [
    slice({ nodeName: undefined, perDeviceNodeSelection: false }),
    ['spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true', `spec: Required value: ${oneNode}`],
  ],
  [
    slice({ nodeName: 'a', perDeviceNodeSelection: true, allNodes: true, nodeSelector: { nodeSelectorTerms: [term('a')] } }),
    [
      `spec: Invalid value: "{\`nodeName\`, \`nodeSelector\`, \`allNodes\`, \`perDeviceNodeSelection\`}": ${oneNode}, but multiple fields are set`,
    ],
  ],
  [
    slice({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [] } }),
    [
      'spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: []: must have exactly one node selector term',
    ],
  ],
  [
    slice({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term('a'), term('b')] } }),
    [
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":[{"Key":"a","Operator":"Exists","Values":null}],"MatchFields":null},{"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}]: must have exactly one node selector term',
    ],
  ],
  [slice({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term('a')] } }), []],
  [
    slice({ devices: [{ name: 'a' }], sharedCounters: [{ name: 'c', counters: { m: { value: '1' } } }] }),
    ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
  ],
  [slice({ sharedCounters: [{ name: 'c', counters: { m: {} } }] }), []],
  [slice({ sharedCounters: [{ name: 'c', counters: { m: { value: '1' } } }] }), []],
  [
    slice({
      sharedCounters: [
        {},
        { name: 'A', counters: {} },
        { name: 'c', counters: { M: { value: '1' } } },
        { name: 'c', counters: { m: { value: '1' } } },
      ],
    }),
    [
      'spec.sharedCounters[0].name: Required value',
      'spec.sharedCounters[0].counters: Required value',
      `spec.sharedCounters[1].name: Invalid value: "A": ${label}`,
      'spec.sharedCounters[1].counters: Required value',
      `spec.sharedCounters[2].counters: Invalid value: "M": ${label}`,
      'spec.sharedCounters[3]: Duplicate value: "c"',
    ],
  ],
  [slice({ devices: [{ name: 'a' }, { name: 'a' }] }), ['spec.devices[1]: Duplicate value: "a"']],
  [slice({ devices: [{}] }), [`spec.devices[0].name: Invalid value: "": ${label}`]],
  [slice({ devices: [{ name: 'A' }] }), [`spec.devices[0].name: Invalid value: "A": ${label}`]],
  [slice({ devices: [null] }), [`spec.devices[0].name: Invalid value: "": ${label}`]],
  [
    slice({ devices: Array.from({ length: 129 }, (_, i) => ({ name: `d${i}` })) }),
    ['spec.devices: Too many: 129: must have at most 128 items'],
  ],
  [
    slice({ devices: Array.from({ length: 65 }, (_, i) => ({ name: `d${i}`, taints: [{ key: 'a', effect: 'NoSchedule' }] })) }),
    ['spec.devices: Too many: 65: must have at most 64 items'],
  ],
  [attribute({}), ['spec.devices[0].attributes[model]: Invalid value: "": exactly one value must be specified']],
  [
    attribute({ int: 1, bool: true }),
    [
      'spec.devices[0].attributes[model]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
    ],
  ],
  [attribute({ string: 'a'.repeat(65) }), ['spec.devices[0].attributes[model].string: Too long: may not be more than 64 bytes']],
  [
    attribute({ version: '1' }),
    ['spec.devices[0].attributes[model].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0'],
  ],
  [attribute({ version: '1.0.0-a' }), []],
  [attribute({ string: '' }), []],
  [device({ attributes: { 'a b': { int: 1 } } }), [`spec.devices[0].attributes: Invalid value: "a b": ${identifier}`]],
  [device({ attributes: { '/a': { int: 1 } } }), ['spec.devices[0].attributes: Invalid value: "": the domain must not be empty']],
  [device({ attributes: { 'a.b/': { int: 1 } } }), ['spec.devices[0].attributes: Invalid value: "": the name must not be empty']],
  [device({ attributes: { 'A_/a': { int: 1 } } }), [`spec.devices[0].attributes: Invalid value: "A_": ${subdomain}`]],
  [
    device({ attributes: { [`a.b/${'a'.repeat(33)}`]: { int: 1 } } }),
    ['spec.devices[0].attributes: Too long: may not be more than 32 bytes'],
  ],
  [device({ capacity: { 'a-b': { value: '1' } } }), [`spec.devices[0].capacity: Invalid value: "a-b": ${identifier}`]],
  [device({ capacity: { memory: {} } }), []],
  [device({ capacity: { memory: { value: '1Gi' } } }), []],
  [
    device({ attributes: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, { int: i }])) }),
    ['spec.devices[0]: Invalid value: 33: the total number of attributes and capacities must not exceed 32'],
  ],
  [
    device({ taints: [{}] }),
    [
      'spec.devices[0].taints[0].key: Invalid value: "": name part must be non-empty',
      `spec.devices[0].taints[0].key: Invalid value: "": ${namePart}`,
      'spec.devices[0].taints[0].effect: Required value',
    ],
  ],
  [
    device({ taints: [{ key: 'a b', effect: 'Never', value: 'x y' }] }),
    [
      `spec.devices[0].taints[0].key: Invalid value: "a b": ${namePart}`,
      `spec.devices[0].taints[0].value: Invalid value: "x y": ${labelValue}`,
      'spec.devices[0].taints[0].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
    ],
  ],
  [device({ taints: [{ key: 'a', effect: 'NoExecute' }] }), []],
  [
    device({ taints: Array.from({ length: 17 }, (_, i) => ({ key: `k${i}`, effect: 'NoSchedule' })) }),
    ['spec.devices[0].taints: Too many: 17: must have at most 16 items'],
  ],
  [
    device({ consumesCounters: [{}] }),
    ['spec.devices[0].consumesCounters[0].counterSet: Required value', 'spec.devices[0].consumesCounters[0].counters: Required value'],
  ],
  [device({ consumesCounters: [{ counterSet: 'c', counters: {} }] }), ['spec.devices[0].consumesCounters[0].counters: Required value']],
  [
    device({
      consumesCounters: [
        { counterSet: 'c', counters: { m: { value: '1' } } },
        { counterSet: 'c', counters: { m: { value: '1' } } },
      ],
    }),
    ['spec.devices[0].consumesCounters[1]: Duplicate value: "c"'],
  ],
  [
    device({ consumesCounters: [{ counterSet: 'A', counters: { M: { value: '1' } } }] }),
    [
      `spec.devices[0].consumesCounters[0].counterSet: Invalid value: "A": ${label}`,
      `spec.devices[0].consumesCounters[0].counters: Invalid value: "M": ${label}`,
    ],
  ],
  [
    device({ nodeName: 'a' }),
    [
      'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
  ],
  [
    device({ allNodes: true }),
    [
      'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
  ],
  [
    slice({
      nodeName: undefined,
      perDeviceNodeSelection: true,
      devices: [
        { name: 'a' },
        { name: 'b', nodeName: '' },
        { name: 'c', nodeName: 'w', allNodes: true },
        { name: 'd', allNodes: false },
        { name: 'e', allNodes: true },
      ],
    }),
    [
      `spec.devices[0]: Required value: ${oneOfDevice}`,
      'spec.devices[1].nodeName: Invalid value: "": must not be empty',
      `spec.devices[1]: Required value: ${oneOfDevice}`,
      `spec.devices[2]: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${oneOfDevice}`,
      'spec.devices[3].allNodes: Invalid value: false: must be either unset or set to true',
      `spec.devices[3]: Required value: ${oneOfDevice}`,
    ],
  ],
  [slice({ driver: 'A.example.com' }), []],
  [device({ attributes: { 'A.b/c': { int: 1 } } }), []],
  [device({ attributes: { 'a/b/c': { int: 1 } } }), []],
  [device({ attributes: { a: { ints: [] } } }), ['spec.devices[0].attributes[a]: Invalid value: "": exactly one value must be specified']],
  [
    device({ attributes: { a: { ints: [1, 2] }, b: { versions: ['1.0.0', 'x'] } } }),
    [
      'spec.devices[0].attributes[a]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[b]: Invalid value: "": exactly one value must be specified',
    ],
  ],
  [
    device({ bindingConditions: ['a'] }),
    ['spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions'],
  ],
  [
    device({ bindingConditions: ['a', 'a'], bindingFailureConditions: ['a', 'b', 'b', 'x y'] }),
    [
      `spec.devices[0].bindingFailureConditions[3]: Invalid value: "x y": ${namePart}`,
      'spec.devices[0].bindingConditions[1]: Duplicate value: "a"',
      'spec.devices[0].bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions',
      'spec.devices[0].bindingFailureConditions[2]: Duplicate value: "b"',
    ],
  ],
  [
    device({ bindingFailureConditions: ['a'] }),
    ['spec.devices[0].bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions'],
  ],
  [
    device({ bindingConditions: ['a', 'b', 'c', 'd', 'e'], bindingFailureConditions: ['f'] }),
    ['spec.devices[0].bindingConditions: Too many: 5: must have at most 4 items'],
  ],
  [
    device({ capacity: { memory: { value: '1', requestPolicy: { default: '1' } } } }),
    ['spec.devices[0].capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true'],
  ],
  [
    device({ attributes: { a: { version: '1.0.0-01' }, b: { version: '01.0.0' }, c: { version: '1.0.0-0a.1+01' } } }),
    [
      'spec.devices[0].attributes[a].version: Invalid value: "1.0.0-01": must be a string compatible with semver.org spec 2.0.0',
      'spec.devices[0].attributes[b].version: Invalid value: "01.0.0": must be a string compatible with semver.org spec 2.0.0',
    ],
  ],
  [
    device({ consumesCounters: ['a', 'b', 'c'].map((counterSet) => ({ counterSet, counters: { m: { value: '1' } } })) }),
    ['spec.devices[0].consumesCounters: Too many: 3: must have at most 2 items'],
  ],
  [
    slice({ sharedCounters: Array.from({ length: 9 }, (_, i) => ({ name: `c${i}`, counters: { m: { value: '1' } } })) }),
    ['spec.sharedCounters: Too many: 9: must have at most 8 items'],
  ],
  [
    slice({
      sharedCounters: [{ name: 'c', counters: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`c${i}`, { value: '1' }])) }],
    }),
    ['spec.sharedCounters[0].counters: Too many: 33: must have at most 32 items'],
  ],
  [
    device({ attributes: Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`a${i}`, { ints: [1, 2, 3, 4, 5, 6, 7] }])) }),
    [
      'spec.devices[0].attributes[a0]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[a1]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[a2]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[a3]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[a4]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[a5]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[a6]: Invalid value: "": exactly one value must be specified',
    ],
  ],
])('ResourceSlice %#', async (spec, expected) => {
  // The server reports the members of a map in a random order.
  expect((await causesFor('ResourceSlice', spec)).toSorted()).toEqual(expected.toSorted());
});

test('the pool, the driver and the node of a ResourceSlice stay as they are', async () => {
  const object = named('ResourceSlice', slice({}));
  await cluster.create('test', object);
  const spec = { driver: 'other.example.com', nodeName: 'other', pool: { name: 'other' } };
  expect(await causesOf(cluster.patch('test', object, { spec }))).toEqual([
    'spec.pool.name: Invalid value: "other": field is immutable',
    'spec.driver: Invalid value: "other.example.com": field is immutable',
    'spec.nodeName: Invalid value: "other": field is immutable',
  ]);
  expect(await causesOf(cluster.patch('test', object, { spec: { pool: { generation: 2 } } }))).toEqual([]);
});

test('a capacity and a counter without an amount have none of it', async () => {
  const { spec } = await cluster.create('test', named('ResourceSlice', device({ capacity: { memory: {} } })));
  expect(spec.devices[0].capacity).toEqual({ memory: { value: '0' } });
});
