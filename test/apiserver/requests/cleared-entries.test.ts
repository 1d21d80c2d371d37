import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('cleared-entries');
const { cluster, namespace } = testEnvironment;

test.each([[[null]], [[{ zz: 1 }]], [[{ $patch: 'replace' }]], [[{ manager: '' }]]])(
  'managedFields of %j have no owner',
  async (managedFields) => {
    for (const method of ['PUT', 'PATCH']) {
      const name = `config-${method.toLowerCase()}`;
      const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { x: '1' } };
      await cluster.client.call('DELETE', path).catch(() => {});
      await cluster.create('author', object);
      const metadata = { name, managedFields };
      const body = method === 'PUT' ? { ...object, metadata } : { metadata: { managedFields } };
      const contentType = method === 'PUT' ? 'application/json' : 'application/merge-patch+json';
      const written = await cluster.client.call(method, path, { body, contentType });
      expect(written.metadata).not.toHaveProperty('managedFields');
      expect((await cluster.client.call('GET', path)).metadata).not.toHaveProperty('managedFields');
    }
  },
);
