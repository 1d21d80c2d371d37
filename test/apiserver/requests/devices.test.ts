import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { sender } from '../../harness/send-as.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Claims of devices and what drivers publish: defaults, which a scheduler needs, generation, owners and refusals. */
const testEnvironment = await TestEnvironment.create('devices');
const { app, cluster, namespace } = testEnvironment;
const send = sender(testEnvironment);
const apiVersion = 'resource.k8s.io/v1';
const exact = { deviceClassName: 'dc' };
const claim = (name: string, devices: object) => ({ apiVersion, kind: 'ResourceClaim', metadata: { name, namespace }, spec: { devices } });
const requests = [
  { name: 'r', exactly: { ...exact, tolerations: [{ key: 'a' }] } },
  {
    name: 's',
    firstAvailable: [
      { name: 'x', ...exact },
      { name: 'all', ...exact, allocationMode: 'All' },
    ],
  },
];
const defaulted = [
  { name: 'r', exactly: { ...exact, allocationMode: 'ExactCount', count: 1, tolerations: [{ key: 'a', operator: 'Equal' }] } },
  {
    name: 's',
    firstAvailable: [
      { name: 'x', ...exact, allocationMode: 'ExactCount', count: 1 },
      { name: 'all', ...exact, allocationMode: 'All' },
    ],
  },
];

test('the requests of a claim and of a template get a mode and a count', async () => {
  expect((await cluster.create('test', claim('plain', { requests }))).spec.devices.requests).toEqual(defaulted);
  const template = {
    apiVersion,
    kind: 'ResourceClaimTemplate',
    metadata: { name: 'plain', namespace },
    spec: { spec: { devices: { requests } } },
  };
  expect((await cluster.create('test', template)).spec.spec.devices.requests).toEqual(defaulted);
});

test('a claim without requests shows null, and its devices have no owner of their own', async () => {
  expect((await cluster.create('test', claim('empty', {}))).spec).toEqual({ devices: { requests: null } });
  const { spec, metadata } = await cluster.apply('test', claim('list', { requests: [] }));
  expect(spec).toEqual({ devices: { requests: null } });
  expect(metadata.managedFields[0].fieldsV1).toEqual({ 'f:spec': { 'f:devices': { 'f:requests': {} } } });
  const applied = await cluster.create('test', claim('owned', { requests: [{ name: 'r', exactly: exact }] }));
  expect(applied.metadata.managedFields[0].fieldsV1).toEqual({ 'f:spec': { 'f:devices': { 'f:requests': {} } } });
});

test.each<readonly [message: string, devices: object]>([
  [
    "spec.devices.requests[0].exactly.count: Invalid value: 3: must not be specified when allocationMode is 'All'",
    { requests: [{ name: 'r', exactly: { ...exact, allocationMode: 'All', count: 3 } }] },
  ],
  [
    '[spec.devices.requests[0].exactly.count: Invalid value: -3: must be greater than zero, spec.devices.requests[1]: Duplicate value: "r"]',
    {
      requests: [
        { name: 'r', exactly: { ...exact, count: -3 } },
        { name: 'r', exactly: exact },
      ],
    },
  ],
  ['spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required', { requests: [{ name: 'r' }] }],
  [
    'spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
    { requests: [{ name: 'r', exactly: exact, firstAvailable: [{ name: 'x', ...exact }] }] },
  ],
  [
    '[spec.devices.requests[0].exactly.deviceClassName: Required value, spec.devices.requests[1].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"]',
    {
      requests: [
        { name: 'r', exactly: { deviceClassName: '' } },
        { name: 's', exactly: { ...exact, allocationMode: 'Some' } },
      ],
    },
  ],
  [
    '[spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "x": must be empty for operator `Exists`, spec.devices.requests[0].exactly.tolerations[1].operator: Unsupported value: "Foo": supported values: "Equal", "Exists", spec.devices.requests[0].exactly.tolerations[1].effect: Unsupported value: "Bar": supported values: "NoExecute", "NoSchedule", "None"]',
    {
      requests: [
        {
          name: 'r',
          exactly: {
            ...exact,
            tolerations: [{ operator: 'Exists', value: 'x' }, { operator: 'Foo', effect: 'Bar' }, { operator: 'Equal' }],
          },
        },
      ],
    },
  ],
  [
    `[spec.devices.constraints[0].requests[0]: Invalid value: "nope": must be the name of a request in the claim or the name of a request and a subrequest separated by '/', spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set, spec.devices.config[0].opaque: Required value, spec.devices.config[1].opaque.driver: Required value]`,
    {
      requests: [{ name: 's', firstAvailable: [{ name: 'x', ...exact }] }],
      constraints: [{ requests: ['nope'], matchAttribute: 'a.b/c' }, { requests: ['s/x'] }],
      config: [{ requests: ['s/x'] }, { opaque: { driver: '', parameters: {} } }],
    },
  ],
  [
    'spec.devices.requests[0].exactly.selectors[0].cel: Required value',
    { requests: [{ name: 'r', exactly: { ...exact, selectors: [{}] } }] },
  ],
])('refused: %s', async (message, devices) => {
  const { status, body } = await send('POST', `/apis/${apiVersion}/namespaces/${namespace}/resourceclaims`, claim('refused', devices));
  expect([status, body.message]).toEqual([422, `ResourceClaim.resource.k8s.io "refused" is invalid: ${message}`]);
});

test('the spec of a claim and of a template does not change', async () => {
  const template = { apiVersion, kind: 'ResourceClaimTemplate', metadata: { name: 'fixed', namespace }, spec: { spec: { devices: {} } } };
  await cluster.create('test', claim('fixed', {}));
  await cluster.create('test', template);
  const devices = { requests: [{ name: 'r', exactly: exact }] };
  const base = `/apis/${apiVersion}/namespaces/${namespace}`;
  for (const [path, spec] of [
    ['resourceclaims/fixed', { devices }],
    ['resourceclaimtemplates/fixed', { spec: { devices } }],
  ] as const) {
    const { status, body } = await send('PATCH', `${base}/${path}`, { spec });
    expect([status, body.message]).toEqual([422, expect.stringMatching(/spec: Invalid value: .*: field is immutable$/)]);
  }
});

test('a class and a slice have a generation, and a taint of a device a time', async () => {
  const made = (kind: string, spec: object) => ({ apiVersion, kind, metadata: { name: app }, spec });
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  const device = { name: 'd', attributes: { a: { int: 1 } } };
  const slice = made('ResourceSlice', {
    driver: 'a.b',
    nodeName: 'node',
    pool,
    devices: [{ ...device, taints: [{ key: 'a', effect: 'NoSchedule' }] }],
  });
  for (const each of [slice, made('DeviceClass', {})]) testEnvironment.removeLater(each);
  expect((await cluster.create('test', made('DeviceClass', {}))).metadata.generation).toBe(1);
  const changed = await cluster.patch('test', made('DeviceClass', {}), {
    spec: { config: [{ opaque: { driver: 'a.b', parameters: {} } }] },
  });
  expect(changed.metadata.generation).toBe(2);
  const created = await cluster.create('test', slice);
  expect(created.metadata.generation).toBe(1);
  const [{ taints }] = created.spec.devices;
  expect(taints).toEqual([{ key: 'a', effect: 'NoSchedule', timeAdded: created.metadata.creationTimestamp }]);
  const later = await cluster.patch('test', slice, {
    spec: { devices: [{ ...device, taints: [...taints, { key: 'b', effect: 'NoSchedule' }] }] },
  });
  expect(later.metadata.generation).toBe(2);
  const [kept, added] = later.spec.devices[0].taints as ResponseBody[];
  expect(kept).toEqual(taints[0]);
  expect(Date.parse(added.timeAdded)).toBeGreaterThanOrEqual(Date.parse(taints[0].timeAdded));
});
