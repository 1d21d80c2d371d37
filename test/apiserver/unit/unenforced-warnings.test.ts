import { beforeEach, expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';

let server: EmbeddedApiServer;

beforeEach(async () => {
  server = await EmbeddedApiServer.start({ port: false });
});

async function warningsOf(method: string, path: string, body: object, type = 'application/json'): Promise<readonly string[]> {
  const query = new URLSearchParams(type.includes('apply') ? { fieldManager: 'me', force: 'true' } : {});
  const { code, warnings } = await server.handle({ method, path, query, body: JSON.stringify(body), headers: { 'content-type': type } });
  expect(code).toBeLessThan(300);
  return warnings;
}

const merge = 'application/merge-patch+json';
const quotas = '/api/v1/namespaces/default/resourcequotas';
const quota = { metadata: { name: 'small' }, spec: { hard: { pods: '1' } } };
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const apiService = (service: object | undefined) => ({
  metadata: { name: 'v1.metrics.example.com' },
  spec: { group: 'metrics.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100, service },
});
const ofQuota = 'ResourceQuota "small" is not enforced by the embedded API server';

test('each write of a ResourceQuota gets one warning, one of its status none', async () => {
  expect(await warningsOf('POST', quotas, quota)).toEqual([ofQuota]);
  expect(await warningsOf('PATCH', `${quotas}/small`, { spec: { hard: { pods: '2' } } }, merge)).toEqual([ofQuota]);
  expect(
    await warningsOf('PATCH', `${quotas}/small`, { ...quota, apiVersion: 'v1', kind: 'ResourceQuota' }, 'application/apply-patch+yaml'),
  ).toEqual([ofQuota]);
  expect(await warningsOf('PATCH', `${quotas}/small/status`, { status: { hard: { pods: '2' } } }, merge)).toEqual([]);
  expect(await warningsOf('DELETE', `${quotas}/small`, {})).toEqual([]);
});

test('an APIService that names a Service gets a warning, a local one none', async () => {
  expect(await warningsOf('POST', apiServices, apiService({ name: 'metrics', namespace: 'default' }))).toEqual([
    'APIService "v1.metrics.example.com" is not enforced by the embedded API server: no request reaches its Service',
  ]);
  expect(await warningsOf('DELETE', `${apiServices}/v1.metrics.example.com`, {})).toEqual([]);
  expect(await warningsOf('POST', apiServices, apiService(undefined))).toEqual([]);
});

test.each<[labels: Record<string, string>, warned: readonly string[]]>([
  [{ 'pod-security.kubernetes.io/enforce': 'restricted' }, ['enforce=restricted']],
  [{ 'pod-security.kubernetes.io/enforce': 'privileged', 'pod-security.kubernetes.io/enforce-version': 'latest' }, []],
  [
    { 'pod-security.kubernetes.io/warn': 'baseline', 'pod-security.kubernetes.io/audit': 'restricted' },
    ['warn=baseline', 'audit=restricted'],
  ],
  [{ team: 'red' }, []],
])('a Namespace with %j gets a warning for %j', async (labels, warned) => {
  const texts = warned.map(
    (label) => `label "pod-security.kubernetes.io/${label}" of Namespace "tested" is not enforced by the embedded API server`,
  );
  expect(await warningsOf('POST', '/api/v1/namespaces', { metadata: { name: 'tested', labels } })).toEqual(texts);
  expect(await warningsOf('PATCH', '/api/v1/namespaces/tested', { metadata: { labels: { other: 'x' } } }, merge)).toEqual(texts);
});
