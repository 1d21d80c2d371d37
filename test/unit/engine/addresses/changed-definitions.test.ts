import { expect, test } from 'vitest';
import { ChangedDefinitions } from '../../../../src/engine/addresses/changed-definitions.js';
import { ApiError } from '../../../../src/kubernetes/index.js';

test('explains a pod of a PriorityClass that was created, for five seconds', () => {
  const definitions = new ChangedDefinitions();
  const missing = (name: string) =>
    new ApiError('PATCH', '/x', 403, {
      kind: 'Status',
      message: `pods "web" is forbidden: no PriorityClass with name ${name} was found`,
    });
  const pod = { apiVersion: 'v1', kind: 'Pod' };
  expect(definitions.mayExplain(missing('high'), pod, 1_000)).toBe(false);
  definitions.record({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' } }, 1_000);
  expect(definitions.mayExplain(missing('high'), pod, 5_999)).toBe(true);
  expect(definitions.mayExplain(missing('high'), pod, 6_000)).toBe(false);
  expect(definitions.mayExplain(missing('higher'), pod, 2_000)).toBe(false);
});

test('explains a schema error of a kind that was changed, for five seconds', () => {
  const definitions = new ChangedDefinitions();
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gateways.example.com' },
    spec: { group: 'example.com', names: { kind: 'Gateway' } },
  };
  const error = (code: number, message: string) => new ApiError('PATCH', '/x', code, { kind: 'Status', message });
  const unknown = error(500, 'failed to create typed patch object (x): .spec.size: field not declared in schema');
  const gateway = { apiVersion: 'example.com/v1', kind: 'Gateway' };
  expect(definitions.mayExplain(unknown, gateway, 1_000)).toBe(false);
  definitions.record(definition, 1_000);
  expect(definitions.mayExplain(unknown, gateway, 5_999)).toBe(true);
  expect(definitions.mayExplain(unknown, gateway, 6_000)).toBe(false);
  expect(definitions.mayExplain(error(422, 'invalid'), gateway, 2_000)).toBe(true);
  expect(definitions.mayExplain(error(403, 'forbidden'), gateway, 2_000)).toBe(false);
  expect(definitions.mayExplain(error(500, 'etcdserver: request timed out'), gateway, 2_000)).toBe(false);
  expect(definitions.mayExplain(unknown, { apiVersion: 'other.example.com/v1', kind: 'Gateway' }, 2_000)).toBe(false);
});
