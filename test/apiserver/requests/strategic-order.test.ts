import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

/** By which words a server refuses a `$setElementOrder` that does not fit the list that it orders. */
const testEnvironment = await TestEnvironment.create('strategic-order');
const { cluster } = testEnvironment;
const pod = testEnvironment.ref('v1', 'Pod', 'web');
const container = (name: string) => ({ name, image: 'busybox' });
await cluster.create('author', { ...pod, spec: { containers: [container('a'), container('b')] } } as never);

const badList = 'expected a []interface {}, but received a map[string]interface {}';
const badItem = 'expected a map[string]interface {}, but received a []interface {}';

test.each([
  ['an order that is a map', { '$setElementOrder/containers': {} }, badList],
  ['an order of an unknown list that is a map', { '$setElementOrder/none': {} }, badList],
  ['an order of an unknown list', { '$setElementOrder/none': [] }, 'unable to find api field in struct PodSpec for the json field "none"'],
  ['a list before all items of an order', { '$setElementOrder/containers': [[]] }, 'value for key 0 is not a map'],
  ['a list before the last item', { '$setElementOrder/containers': [{ name: 'a' }, []] }, 'value for key 1 is not a map'],
  ['a list after all items', { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }, []] }, badItem],
])('%s', async (_, spec, message) => {
  await expect(cluster.patch('author', pod, { spec }, 'strategic')).rejects.toMatchObject({ status: 500, body: { message } });
});
