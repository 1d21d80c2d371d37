import { describe, expect, test } from 'vitest';
import { type KindScope, mayObserveObject, observesEveryObject } from '../../../../../src/engine/apply/skip/observers/observer.js';
import { policyObservers } from '../../../../../src/engine/apply/skip/observers/policy-observers.js';
import { quotaObserver } from '../../../../../src/engine/apply/skip/observers/quota-observers.js';
import { webhookObservers } from '../../../../../src/engine/apply/skip/observers/webhook-observers.js';
import type { JsonObject } from '../../../../../src/util/json.js';

const place = (apiVersion: string, kind: string, plural: string, namespace?: string): KindScope => ({
  resource: { apiVersion, kind, plural, namespaced: namespace !== undefined },
  namespace,
});
const deployments = place('apps/v1', 'Deployment', 'deployments', 'shop');
const configMaps = place('v1', 'ConfigMap', 'configmaps', 'shop');
const events = place('v1', 'Event', 'events', 'shop');
const namespaces = place('v1', 'Namespace', 'namespaces');
const roles = place('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles');
const widgets = place('example.com/v1', 'Widget', 'widgets', 'shop');

const rule = (apiGroups: unknown, resources: unknown, others: object = {}): JsonObject =>
  ({ operations: ['UPDATE'], apiGroups, apiVersions: ['v1'], resources, ...others }) as JsonObject;
const webhook = (webhook: object) =>
  webhookObservers({ metadata: { name: 'w' }, webhooks: [webhook] } as unknown as JsonObject, 'Kind')[0]!;

describe('a rule of a webhook', () => {
  test.each<{ title: string; rule: JsonObject; place: KindScope; observes: boolean }>([
    { title: 'the same group and resource', rule: rule(['apps'], ['deployments']), place: deployments, observes: true },
    { title: 'the core group', rule: rule([''], ['configmaps']), place: configMaps, observes: true },
    { title: 'a group that once had the same objects', rule: rule(['extensions'], ['deployments']), place: deployments, observes: true },
    { title: 'every resource of another group', rule: rule(['apps'], ['*']), place: configMaps, observes: false },
    { title: 'Events through their other group', rule: rule(['events.k8s.io'], ['events']), place: events, observes: true },
    { title: 'a custom kind of the same name', rule: rule(['example.com'], ['deployments']), place: deployments, observes: false },
    { title: 'a built-in kind of the same name', rule: rule(['apps'], ['widgets']), place: widgets, observes: false },
    { title: 'any group', rule: rule(['*'], ['widgets']), place: widgets, observes: true },
    { title: 'namespaced objects, and a Namespace', rule: rule([''], ['*'], { scope: 'Namespaced' }), place: namespaces, observes: false },
    {
      title: 'objects outside of namespaces, and a Namespace',
      rule: rule([''], ['*'], { scope: 'Cluster' }),
      place: namespaces,
      observes: true,
    },
    { title: 'any scope', rule: rule(['*'], ['*'], { scope: '*' }), place: roles, observes: true },
    { title: 'an unknown scope', rule: rule(['*'], ['*'], { scope: 'Galaxy' }), place: roles, observes: true },
    { title: 'a subresource of any resource', rule: rule(['*'], ['*/status']), place: roles, observes: false },
    { title: 'no operation', rule: rule(['*'], ['*'], { operations: [] }), place: roles, observes: false },
    { title: 'members of another form', rule: rule('apps', { a: 1 }, { operations: 'all' }), place: roles, observes: true },
    { title: 'nothing', rule: {}, place: roles, observes: true },
  ])('$title: $observes', ({ rule: given, place: at, observes }) => {
    expect(webhook({ rules: [given] }).observes(at)).toBe(observes);
  });

  test('no rules at all', () => {
    expect(webhook({ rules: [] }).observes(roles)).toBe(false);
    expect(webhook({}).observes(roles)).toBe(true); // a partial declaration may leave them to others
  });
});

describe('a selector', () => {
  const live = { metadata: { name: 'a', labels: { color: 'red', __proto__: 'x' } } } as unknown as JsonObject;
  test.each<{ title: string; selector: unknown; every: boolean; observes: boolean }>([
    { title: 'none', selector: undefined, every: true, observes: true },
    { title: 'empty', selector: {}, every: true, observes: true },
    { title: 'of empty members', selector: { matchLabels: {}, matchExpressions: [] }, every: true, observes: true },
    { title: 'matchLabels', selector: { matchLabels: { color: 'red' } }, every: false, observes: true },
    { title: 'matchLabels, one of two', selector: { matchLabels: { color: 'red', size: 'l' } }, every: false, observes: false },
    { title: 'In', selector: { matchExpressions: [{ key: 'color', operator: 'In', values: ['blue'] }] }, every: false, observes: false },
    {
      title: 'NotIn',
      selector: { matchExpressions: [{ key: 'color', operator: 'NotIn', values: ['blue'] }] },
      every: false,
      observes: true,
    },
    {
      title: 'NotIn of no label',
      selector: { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['y'] }] },
      every: false,
      observes: true,
    },
    { title: 'Exists', selector: { matchExpressions: [{ key: 'x', operator: 'Exists' }] }, every: false, observes: false },
    {
      title: 'of what every object inherits',
      selector: { matchExpressions: [{ key: 'toString', operator: 'Exists' }] },
      every: false,
      observes: false,
    },
    {
      title: 'of an unknown operator',
      selector: { matchExpressions: [{ key: 'x', operator: 'Gt', values: ['1'] }] },
      every: false,
      observes: true,
    },
    { title: 'of another form', selector: { matchLabels: 'color=red', matchExpressions: {} }, every: true, observes: true },
  ])('$title', ({ selector, every, observes }) => {
    const observer = webhook({ objectSelector: selector });
    expect([observesEveryObject(observer, configMaps), mayObserveObject(observer, configMaps, live)]).toEqual([every, observes]);
  });

  test('of namespaces compares the labels of a Namespace itself', () => {
    const observer = webhook({ namespaceSelector: { matchLabels: { color: 'blue' } } });
    expect([observesEveryObject(observer, namespaces), mayObserveObject(observer, namespaces, live)]).toEqual([false, false]);
    expect([observesEveryObject(observer, roles), mayObserveObject(observer, roles, live)]).toEqual([true, true]);
  });
});

describe('a policy', () => {
  const policy = (name: string, spec?: object) => ({ metadata: { name }, ...(spec ? { spec } : {}) }) as unknown as JsonObject;
  const observed = (policies: JsonObject[], bindings: object[]) =>
    policyObservers(policies, bindings as JsonObject[], 'Policy')
      .filter(({ observes }) => observes(configMaps))
      .map(({ source }) => source);

  test.each<{ title: string; policies: JsonObject[]; bindings: object[]; observed: string[] }>([
    { title: 'a binding of another policy', policies: [policy('a')], bindings: [{ spec: { policyName: 'b' } }], observed: [] },
    { title: 'a binding that does not say of which', policies: [policy('a')], bindings: [{}], observed: ['Policy a'] },
    {
      title: 'a policy without constraints',
      policies: [policy('a', {})],
      bindings: [{ spec: { policyName: 'a' } }],
      observed: ['Policy a'],
    },
    {
      title: 'a policy without rules',
      policies: [policy('a', { matchConstraints: { resourceRules: [] } })],
      bindings: [{ spec: { policyName: 'a' } }],
      observed: ['Policy a'],
    },
    {
      title: 'an exclusion without some of its members',
      policies: [policy('a', { matchConstraints: { excludeResourceRules: [{ resources: ['*'] }] } })],
      bindings: [{ spec: { policyName: 'a' } }],
      observed: ['Policy a'],
    },
    {
      title: 'two bindings, one of which matches',
      policies: [policy('a')],
      bindings: [
        { spec: { policyName: 'a', matchResources: { resourceRules: [rule(['apps'], ['*'])] } } },
        { spec: { policyName: 'a', matchResources: { resourceRules: [rule([''], ['*'])] } } },
      ],
      observed: ['Policy a'],
    },
  ])('$title', ({ policies, bindings, observed: expected }) => {
    expect(observed(policies, bindings)).toEqual(expected);
  });
});

describe('a quota', () => {
  const claims = place('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'shop');
  const services = place('v1', 'Service', 'services', 'shop');
  const deviceClaims = place('resource.k8s.io/v1', 'ResourceClaim', 'resourceclaims', 'shop');
  test.each<{ limit: string; place: KindScope; observes: boolean }>([
    { limit: 'configmaps', place: configMaps, observes: true },
    { limit: 'count/configmaps', place: configMaps, observes: true },
    { limit: 'count/configmaps.apps', place: configMaps, observes: false },
    { limit: 'pods', place: configMaps, observes: false },
    { limit: 'count/deployments.apps', place: deployments, observes: true },
    { limit: 'deployments', place: deployments, observes: false },
    { limit: 'count/widgets.example.com', place: widgets, observes: true },
    { limit: 'services.loadbalancers', place: services, observes: true },
    { limit: 'count/configmaps', place: services, observes: false },
    { limit: 'requests.storage', place: claims, observes: true },
    { limit: 'gold.storageclass.storage.k8s.io/requests.storage', place: claims, observes: true },
    { limit: 'pods', place: claims, observes: false },
    { limit: 'gpu.deviceclass.resource.k8s.io/devices', place: deviceClaims, observes: true },
    { limit: 'limits.cpu', place: deployments, observes: false },
  ])('$limit, and $place.resource.kind: $observes', ({ limit, place: at, observes }) => {
    const quota = { metadata: { name: 'q', namespace: 'shop' }, spec: { hard: { [limit]: '1' } } } as unknown as JsonObject;
    expect(quotaObserver(quota).observes(at)).toBe(observes);
    expect(quotaObserver(quota).observes({ ...at, namespace: 'elsewhere' })).toBe(false);
  });
});
