import { expect, test } from 'vitest';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('event-writes');
const { cluster, namespace } = testEnvironment;
const { client } = cluster;

const subject = { kind: 'Pod', namespace, name: 'main' };
const reported = { reportingController: 'example.com/one', reportingInstance: 'one', action: 'Start', reason: 'Started', type: 'Normal' };

test.each([
  ['/api/v1', 'v1', { involvedObject: subject }],
  ['/apis/events.k8s.io/v1', 'events.k8s.io/v1', { regarding: subject, eventTime: '2020-01-01T00:00:00.000000Z', ...reported }],
])('a PUT creates an Event, and each DELETE ends it at once: %s', async (prefix, apiVersion, members) => {
  for (const propagationPolicy of ['Orphan', 'Foreground', 'Background']) {
    const name = `event-${propagationPolicy.toLowerCase()}`;
    const path = `${prefix}/namespaces/${namespace}/events/${name}`;
    const created = await client.call('PUT', path, { body: { apiVersion, kind: 'Event', metadata: { name }, ...members } });
    expect(created).toMatchObject(members);
    expect(await client.call('DELETE', path, { query: { propagationPolicy } })).toMatchObject({ kind: 'Status', status: 'Success' });
    await expect(client.call('GET', path)).rejects.toMatchObject({ status: 404 });
  }
});
