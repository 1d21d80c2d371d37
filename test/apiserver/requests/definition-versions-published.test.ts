import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** What a server says of the versions of a custom resource: warnings, columns, selectable fields, and its own type and name. */
const testEnvironment = await TestEnvironment.create('published');
const { cluster, namespace } = testEnvironment;
let groups = 0;

/** Defines a kind outside of namespaces, and returns its group once its versions are served. */
async function defined(versions: readonly ResponseBody[]): Promise<string> {
  const group = `g${groups++}.${namespace}.example.com`;
  const { spec, ...definition } = crdOf(group, 'Tried');
  await testEnvironment.crd({ ...definition, spec: { ...spec, scope: 'Cluster', versions } } as never);
  return group;
}

const open = { openAPIV3Schema: { type: 'object' } };

/** Reads versions such as `v1:d v2:s`: `d` is deprecated, `s` stored, `n` not served. */
const versionsOf = (text: string) =>
  text.split(' ').map((each) => {
    const [name = '', flags = ''] = each.split(':');
    const deprecated = flags.includes('d') ? { deprecated: true } : {};
    return { name, served: !flags.includes('n'), storage: flags.includes('s'), ...deprecated, schema: open };
  });

describe('the warning of a deprecated version names a newer one, if there is one that is not deprecated', () => {
  test.each([
    { versions: 'v1alpha1:ds v1alpha2:d', deprecated: { v1alpha1: undefined, v1alpha2: undefined } },
    { versions: 'v1:d v2:s', deprecated: { v1: 'v2' } },
    { versions: 'v2:d v1:s', deprecated: { v2: undefined } },
    { versions: 'v1alpha1:d v1beta1:d v1:s v2', deprecated: { v1alpha1: 'v2', v1beta1: 'v2' } },
    { versions: 'v1beta1:d v1beta2:n v1:ns v2beta1', deprecated: { v1beta1: 'v2beta1' } },
    { versions: 'foo:d bar:s', deprecated: { foo: 'bar' } },
    { versions: 'bar:d foo:s zed', deprecated: { bar: undefined } },
    { versions: 'v10:d v9:s v11', deprecated: { v10: 'v11' } },
  ])('$versions', async ({ versions, deprecated }) => {
    const group = await defined(versionsOf(versions));
    for (const [version, newer] of Object.entries(deprecated)) {
      const text = (name: string) => `${group}/${name} Tried`;
      const warnings = await poll('the version is served', async () => {
        const url = new URL(`${cluster.client.connection.server.replace(/\/$/, '')}/apis/${group}/${version}/trieds`);
        const { status, headers } = await cluster.client.raw('GET', url, {}, undefined);
        return status === 200 ? [headers.warning ?? []].flat().map(String) : undefined;
      });
      const expected = `${text(version)} is deprecated${newer === undefined ? '' : `; use ${text(newer)}`}`;
      expect(warnings).toEqual([expect.stringContaining(`"${expected}"`)]);
    }
  });
});

test('a column without a description, and fields for selectors', async () => {
  const additionalPrinterColumns = [
    { name: 'Color', type: 'string', jsonPath: '.spec.color' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how large', priority: 1 },
  ];
  const properties = { spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer' } } } };
  const selectableFields = [{ jsonPath: '.spec.size' }, { jsonPath: '.spec.color' }];
  const version = { name: 'v1', served: true, storage: true, additionalPrinterColumns, selectableFields };
  const group = await defined([{ ...version, schema: { openAPIV3Schema: { type: 'object', properties } } }]);
  const url = new URL(`${cluster.client.connection.server.replace(/\/$/, '')}/apis/${group}/v1/trieds`);
  const text = await poll('the version is served', async () => {
    const answer = await cluster.client.raw('GET', url, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }, undefined);
    return answer.status === 200 ? answer.text : undefined;
  });
  expect((JSON.parse(text) as ResponseBody).columnDefinitions.slice(1)).toMatchObject([
    { name: 'Color', description: 'Custom resource definition column (in JSONPath format): .spec.color' },
    { name: 'Size', description: 'how large' },
  ]);
  const name = `${group.split('.').reverse().join('.')}.v1.Tried`;
  const published = await poll('the schema is published', async () => {
    const document = await cluster.client.call('GET', `/openapi/v3/apis/${group}/v1`).catch(() => undefined);
    return document?.components?.schemas?.[name]?.['x-kubernetes-selectable-fields'];
  });
  expect(published).toEqual([{ fieldPath: 'spec.size' }, { fieldPath: 'spec.color' }]);
});

test('a schema restricts the type and the name of an object, the name only when it is new', async () => {
  const versions = (properties: object) =>
    ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', properties } },
    }));
  const group = await defined(versions({}));
  const path = (version: string) => `/apis/${group}/${version}/trieds`;
  const named = (name: string, version: string) => ({ apiVersion: `${group}/${version}`, kind: 'Tried', metadata: { name } });
  await cluster.client.call('POST', path('v1'), { body: named('long-name', 'v1') });
  const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trieds.${group}`;
  const live = await cluster.client.call('GET', definition);
  const restricted = {
    apiVersion: { type: 'string', pattern: '/v1$' },
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 4 } } },
  };
  await cluster.client.call('PUT', definition, { body: { ...live, spec: { ...live.spec, versions: versions(restricted) } } });
  const refusal = (answer: Promise<unknown>) => answer.then(() => '', String);
  const create = (name: string, version: string) =>
    refusal(cluster.client.call('POST', path(version), { body: named(name, version), query: { dryRun: 'All' } }));
  await poll('the new schema is in effect', async () => (await create('other-name', 'v1')) !== '');
  expect(await create('other-name', 'v1')).toContain('metadata.name: Too long: may not be more than 4 bytes');
  expect(await create('new', 'v1')).toBe('');
  expect(await create('new', 'v2')).toContain(`apiVersion: Invalid value: "${group}/v2": apiVersion in body should match '/v1$'`);
  const label = (version: string) =>
    refusal(
      cluster.client.call('PATCH', `${path(version)}/long-name`, {
        body: { metadata: { labels: { changed: version } } },
        contentType: 'application/merge-patch+json',
      }),
    );
  expect(await label('v1')).toBe('');
  expect(await label('v2')).toContain("apiVersion in body should match '/v1$'");
});

test('a schema says where it preserves unknown fields, and what an embedded resource requires', async () => {
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  const a = { type: 'object', properties: { a: { type: 'string' } } };
  const properties = {
    spec: a,
    any: open,
    kept: { type: 'object', ...open },
    list: { type: 'array', items: { ...a, ...open } },
    map: { type: 'object', additionalProperties: a },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, ...open },
  };
  const group = await defined([
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...open, properties } } },
  ]);
  const name = `${group.split('.').reverse().join('.')}.v1.Tried`;
  const published = await poll('the schema is published', async () => {
    const document = await cluster.client.call('GET', `/openapi/v3/apis/${group}/v1`).catch(() => undefined);
    return document?.components?.schemas?.[name];
  });
  expect(published).toMatchObject(open);
  expect(published.additionalProperties).toBeUndefined();
  const { spec, any, kept, list, map, embedded } = published.properties;
  expect({ spec, any, kept, items: list.items, map }).toEqual({
    spec: a,
    any: open,
    kept: { type: 'object', ...open },
    items: { ...a, ...open },
    map: properties.map,
  });
  expect(embedded).toMatchObject({ ...open, 'x-kubernetes-embedded-resource': true, required: ['kind', 'apiVersion'] });
});
