import { expect, test } from 'vitest';
import type { StackManifest } from '../../../src/assembly/types.js';
import type { Step } from '../../../src/engine/graph/waves.js';
import { OwnerNameResolver } from '../../../src/engine/inventory/owner-name-resolver.js';
import { ApiError, type ClusterClient } from '../../../src/kubernetes/index.js';
import { dryRun } from '../../../src/plan/dry-run.js';

const identity = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' };
const entry = (manager: string, fieldsV1: object) => ({
  manager,
  operation: 'Apply',
  apiVersion: identity.apiVersion,
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const live = {
  apiVersion: identity.apiVersion,
  kind: 'Widget',
  metadata: {
    name: 'w',
    uid: '1',
    resourceVersion: '1',
    managedFields: [entry('new', { 'f:spec': { 'f:color': {} } }), entry('old', { 'f:spec': { 'f:size': {} } })],
  },
  spec: { color: 'red', size: 3 },
} as never;

test('a plan names a rejected release of a former manager, as the deploy does', async () => {
  const refusal = {
    kind: 'Status',
    reason: 'Invalid',
    details: { causes: [{ reason: 'FieldValueRequired', field: 'spec', message: 'Required value' }] },
  };
  const cluster = {
    defaultNamespace: 'default',
    resourceOf: async () => ({ apiVersion: identity.apiVersion, kind: 'Widget', plural: 'widgets', namespaced: true }),
    apply: async () => {
      throw new ApiError('PATCH', '/', 422, refusal);
    },
  } as unknown as ClusterClient;
  const stack = { name: 'web', manager: 'new', formerIdentities: [{ manager: 'old' }] } as unknown as StackManifest;
  const step = {
    stack,
    intent: { ...identity, lifecycle: 'own', policy: { conflicts: 'fail' } },
    object: { apiVersion: identity.apiVersion, kind: 'Widget', metadata: { name: 'w' }, spec: { color: 'red' } },
  } as unknown as Step;
  const names = new OwnerNameResolver('shop', 'test', new Map());
  const { plannedChange } = await dryRun(step, { cluster, live, known: undefined, names });
  expect(plannedChange).toMatchObject({ action: 'blocked', fields: [{ field: '.spec.size', change: 'rejected', oldValue: 3 }] });
});
