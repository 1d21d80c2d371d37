import { expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/index.js';
import { identityKey } from '../../../src/assembly/identity.js';
import type { InventoryEntry } from '../../../src/engine/inventory/inventory-entry.js';
import { InventoryStore } from '../../../src/engine/inventory/inventory-store.js';
import { inProcessClient } from '../../../src/entry/in-process.js';
import { inspectObjects, type ObjectDiagnostic } from '../../../src/inspect/doctor/inspect-objects.js';
import type { ClusterClient, ListOptions } from '../../../src/kubernetes/index.js';
import type { JsonObject } from '../../../src/util/json.js';

const manager = 'fieldwise/shop/default/main';
const count = 10_000;

const owners = (wiped: boolean) => {
  const fields = { apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } };
  const stranger = { manager: 'before-first-apply', operation: 'Update', ...fields };
  return [{ manager, operation: 'Apply', ...fields }, ...(wiped ? [stranger] : [])];
};

test('ten thousand objects are inspected by pages of their metadata, and each finding is reported at once', async () => {
  const server = await ApiServer.create();
  const cluster = inProcessClient(server, 'default');
  const entries = new Map<string, InventoryEntry>();
  for (let index = 0; index < count; index++) {
    const identity = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: `c-${String(index).padStart(5, '0')}` };
    const uid = `uid-${index}`;
    const metadata = { name: identity.name, namespace: identity.namespace, uid, managedFields: owners(index % 1000 === 7) };
    server.load({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'x' } } as unknown as JsonObject);
    entries.set(identityKey(identity), { ...identity, lifecycle: 'own', deletable: true, deletePropagation: 'Background', uid, items: [] });
  }
  const stack = { app: 'shop', instance: 'default', stack: 'main', manager };
  await new InventoryStore(cluster, 'default').write({ stack, entries: new Map(), shards: [] }, entries);

  const asked: (ListOptions & { readonly items: number })[] = [];
  let found = 0;
  let foundBeforeLastPage = 0;
  const watched: ClusterClient = {
    ...cluster,
    tryGet: () => Promise.reject(new Error('no object is read by itself')),
    async *pages(resource, options) {
      for await (const page of cluster.pages(resource, options)) {
        asked.push({ ...options, items: page.items.length });
        foundBeforeLastPage = found;
        yield page;
      }
    },
  };
  const findings: ObjectDiagnostic[] = [];
  const inspection = await inspectObjects(watched, { inventoryNamespace: 'default' }, (finding) => {
    found++;
    findings.push(finding);
  });
  expect(inspection).toEqual({ event: 'inspection', objects: count, diagnostics: 10, errors: 10, unread: [] });
  expect(findings[0]).toMatchObject({ code: 'managed-fields-cleared', object: 'ConfigMap default/c-00007', stacks: ['main'] });
  expect(Math.max(...asked.map(({ items }) => items))).toBe(500);
  expect(asked.every(({ metadataOnly, namespace }) => metadataOnly === true && namespace === 'default')).toBe(true);
  expect(foundBeforeLastPage).toBeGreaterThan(0);
});
