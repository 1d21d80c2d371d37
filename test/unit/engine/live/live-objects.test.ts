import { expect, test } from 'vitest';
import { LiveObjects } from '../../../../src/engine/live/live-objects.js';
import type { ClusterClient, ObjectAddress } from '../../../../src/kubernetes/index.js';

const resource = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const addresses = ['a', 'b', 'c'].map((name): ObjectAddress => ({ resource, namespace: 'shop', name }));
const liveObject = (name: string, resourceVersion: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, resourceVersion },
});

test('an object that was given up is read as it is then, and the others as they were listed', async () => {
  const cluster = {
    pages: async function* () {
      yield { items: ['a', 'b'].map((name) => liveObject(name, '1')), remainingItemCount: 0 };
    },
    tryGet: async ({ name }: ObjectAddress) => liveObject(name, '2'),
  } as unknown as ClusterClient;
  const live = new LiveObjects(cluster, addresses);
  const [a, b, c] = addresses as [ObjectAddress, ObjectAddress, ObjectAddress];
  expect(await live.find(a)).toEqual(liveObject('a', '1'));
  await live.forget(a);
  await live.forget(c);
  expect(await live.find(a)).toEqual(liveObject('a', '2'));
  expect(await live.findText(a)).toBe(JSON.stringify(liveObject('a', '2')));
  expect(await live.find(b)).toEqual(liveObject('b', '1'));
  expect(await live.find(c)).toBeUndefined();
});
