import { ApiObject } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { type App, Stack } from '../../../src/entry/index.js';
import type { FieldwiseError } from '../../../src/util/error.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const stack = (app: App, namespace = 'shop') => new Stack(app, 'web', { namespace });
const object = (apiVersion: string, kind: string, name: string, content: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name },
  ...content,
});
const template = { spec: { containers: [{ name: 'a', image: 'b' }] } };

/** The verdicts of a server are in test/cluster/object-names.test.ts. */
describe('a name that no server takes', () => {
  it.each<readonly [name: string, object: ReturnType<typeof object>, message: string]>([
    ['a ConfigMap', object('v1', 'ConfigMap', 'A'), 'A ConfigMap cannot be named "A": a lowercase RFC 1123 subdomain must'],
    [
      'too long',
      object('v1', 'ConfigMap', 'a'.repeat(254)),
      `A ConfigMap cannot be named "${'a'.repeat(254)}": must be no more than 253 characters`,
    ],
    ['a Service', object('v1', 'Service', 'a.b'), 'A Service cannot be named "a.b": must not contain dots'],
    ['a Role', object('rbac.authorization.k8s.io/v1', 'Role', 'a/b'), 'A Role cannot be named "a/b": may not contain \'/\''],
    ['a custom resource', object('example.com/v1', 'Thing', 'a:b'), 'A Thing cannot be named "a:b": a lowercase RFC 1123 subdomain must'],
    ['a CronJob', object('batch/v1', 'CronJob', 'a'.repeat(53)), `A CronJob cannot be named "${'a'.repeat(53)}": must be no more than 52`],
    [
      'a Job',
      object('batch/v1', 'Job', 'a'.repeat(64), { spec: { template } }),
      `A Job cannot be named "${'a'.repeat(64)}": must be no more than 63`,
    ],
    [
      'an IPAddress',
      object('networking.k8s.io/v1', 'IPAddress', 'fd00::0:1'),
      'A IPAddress cannot be named "fd00::0:1": must be a valid IP',
    ],
    [
      'an APIService',
      object('apiregistration.k8s.io/v1', 'APIService', 'v1.b', { spec: { group: 'a', version: 'v1' } }),
      'A APIService cannot be named "v1.b": by its spec, it is "v1.a"',
    ],
    [
      'a definition',
      object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'a.b', { spec: { group: 'b.c', names: { plural: 'as' } } }),
      'A CustomResourceDefinition cannot be named "a.b": by its spec, it is "as.b.c"',
    ],
  ])('of %s is refused with the construct and the line', (_, wrong, message) => {
    const error = synthError((app) => stack(app).own(wrong)) as FieldwiseError;
    expect(error.message).toContain(message);
    expect(error).toMatchObject({
      code: 'object-name-invalid',
      location: {
        field: '.metadata.name',
        construct: expect.stringMatching(/^shop\/web\/own-/),
        source: expect.stringMatching(/object-names\.test/),
      },
    });
  });

  it('of an object of a cdk8s construct is refused, too', () => {
    const error = synthError((app) => void new ApiObject(stack(app), 'x', object('v1', 'ConfigMap', 'A')));
    expect(error).toMatchObject({ code: 'object-name-invalid', location: { construct: 'shop/web/x' } });
  });

  it('of a namespace is refused', () => {
    const error = synthError((app) => stack(app, 'Shop').own(object('v1', 'ConfigMap', 'a')));
    expect(error.message).toContain('No namespace can be named "Shop": a lowercase RFC 1123 label must');
  });

  it.each(['A', 'a_'])('cannot begin with the generateName %s', (generateName) => {
    const error = synthError((app) => stack(app).own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', generateName } }));
    expect(error.message).toContain(`No ConfigMap can have a name that begins with "${generateName}"`);
  });
});

it.each<readonly [what: string, object: ReturnType<typeof object>]>([
  ['a Role with colons', object('rbac.authorization.k8s.io/v1', 'Role', 'system:a b')],
  ['a Service that begins with a digit', object('v1', 'Service', '1web')],
  ['a share of a Job that has a selector of its own', object('batch/v1', 'Job', 'a'.repeat(64))],
  ['a user of an aggregated server', object('user.openshift.io/v1', 'User', 'system:admin')],
  ['a kind of Kubernetes of another version', object('certificates.k8s.io/v1beta1', 'ClusterTrustBundle', 'example.com:a:b')],
  ['a custom kind with the name of a built-in one', object('example.com/v1', 'APIService', 'a', { spec: { group: 'a', version: 'v1' } })],
  ['a generateName that ends in a hyphen', { ...object('v1', 'ConfigMap', 'a-1'), metadata: { name: 'a-1', generateName: 'a-' } } as never],
])('%s passes', (_, right) => {
  expect(synthesized((app) => stack(app).share(right)).objects('web')).toHaveLength(1);
});
