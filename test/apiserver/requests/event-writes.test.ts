import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('event-writes');
const { cluster, namespace } = testEnvironment;
const { client } = cluster;

const subject = { kind: 'Pod', namespace, name: 'main' };
const reported = { reportingController: 'example.com/one', reportingInstance: 'one', action: 'Start', reason: 'Started', type: 'Normal' };
const { reportingController: reportingComponent, ...others } = reported;
const reportedInCore = { reportingComponent, ...others };

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

const time = '2020-01-01T00:00:00.000000Z';
const timed = { eventTime: time, involvedObject: subject, ...reportedInCore };
const current = { eventTime: time, regarding: subject, ...reported };
const elsewhere = 'involvedObject.namespace: Invalid value: "": does not match event.namespace';

test.each([
  ['v1', {}, elsewhere],
  ['v1', { ...timed, involvedObject: { kind: 'Node', name: 'main' } }, elsewhere],
  ['v1', { involvedObject: { ...subject, namespace: 'other' } }, elsewhere.replace('""', '"other"')],
  [
    'v1',
    { ...timed, action: '', reportingInstance: 'a'.repeat(129) },
    '[reportingInstance: Invalid value: "": can have at most 128 characters, action: Required value]',
  ],
  ['v1', { ...timed, message: 'a'.repeat(1025) }, 'message: Invalid value: "": can have at most 1024 characters'],
  ['v1', { ...timed, reportingComponent: 'a b' }, 'reportingComponent: Invalid value: "a b": name part must'],
  ['events.k8s.io/v1', {}, `[${elsewhere}, eventTime: Required value, type: Invalid value: "": has invalid value: ]`],
  [
    'events.k8s.io/v1',
    { ...current, type: 'Other', series: {} },
    '[series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value, type: Invalid value: "": has invalid value: Other]',
  ],
  [
    'events.k8s.io/v1',
    { ...current, deprecatedCount: 1, deprecatedSource: { host: 'a' } },
    '[count: Invalid value: "": needs to be unset, source: Invalid value: "": needs to be unset]',
  ],
])('an Event of %s is refused %#', async (apiVersion, members, text) => {
  await expect(
    cluster.create('author', { apiVersion, kind: 'Event', metadata: { name: 'refused', namespace }, ...members }),
  ).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(`Event "refused" is invalid: ${text}`) },
  });
});

test('an Event in the core group may be in another namespace than its object if it has a time', async () => {
  const object = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'Elsewhere_', namespace } };
  await cluster.create('author', { ...object, ...timed, involvedObject: { ...subject, namespace: 'other' } });
});

test('an update through events.k8s.io changes no more than the series', async () => {
  await cluster.create('author', { apiVersion: 'v1', kind: 'Event', metadata: { name: 'kept', namespace }, ...timed });
  const patch = (prefix: string, body: object) =>
    client.call('PATCH', `${prefix}/namespaces/${namespace}/events/kept`, { body, contentType: 'application/merge-patch+json' });
  const changes = { reason: 'Other', series: { count: 1, lastObservedTime: time } };
  await expect(patch('/apis/events.k8s.io/v1', { ...changes, regarding: { name: 'other' } })).rejects.toMatchObject({
    status: 422,
    body: {
      message: `Event "kept" is invalid: [series.count: Invalid value: "": should be at least 2, involvedObject: Invalid value: {"Kind":"Pod","Namespace":"${namespace}","Name":"other","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable, reason: Invalid value: "Other": field is immutable]`,
    },
  });
  await patch('/apis/events.k8s.io/v1', { series: { count: 2, lastObservedTime: time } });
  await patch('/api/v1', changes);
});
