import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';

const path = '/apis/example.com/v1/namespaces/default/widgets';
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
        },
      },
    ],
  },
};
const widget = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { size: 1 } });

async function prepared() {
  const server = await EmbeddedApiServer.start({ port: false });
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect(await server.handle({ method: 'POST', path: crds, body: crd })).toMatchObject({ code: 201 });
  expect(await server.handle({ method: 'POST', path, body: widget('first') })).toMatchObject({ code: 201 });
  return server;
}

async function names(server: EmbeddedApiServer) {
  const { body } = await server.handle({ method: 'GET', path });
  return (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
}

test('servers that start with a snapshot have its objects and kinds, and nothing else in common', async () => {
  const base = await prepared();
  const snapshot = base.snapshot();
  await base.handle({ method: 'DELETE', path: `${path}/first` });
  const [one, other] = await Promise.all([1, 2].map(() => EmbeddedApiServer.start({ port: false, snapshot })));
  await one!.handle({ method: 'POST', path, body: widget('second') });
  await one!.handle({ method: 'DELETE', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com' });
  expect(await one!.handle({ method: 'GET', path })).toMatchObject({ code: 404 });
  expect([await names(base), await names(other!)]).toEqual([[], ['first']]);
});

test('the versions of objects go on where the snapshot ended', async () => {
  const base = await prepared();
  const versionOf = async (server: EmbeddedApiServer) => {
    const { body } = await server.handle({ method: 'GET', path });
    return Number((body as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  };
  const copy = await EmbeddedApiServer.start({ port: false, snapshot: base.snapshot() });
  expect(await versionOf(copy)).toBe(await versionOf(base));
  await copy.handle({ method: 'POST', path, body: widget('second') });
  expect(await versionOf(copy)).toBeGreaterThan(await versionOf(base));
});

test('a value that no server has returned is not a snapshot', async () => {
  const read = JSON.parse(JSON.stringify((await prepared()).snapshot()));
  for (const snapshot of [{}, read, [], 'state', null]) {
    await expect(EmbeddedApiServer.start({ port: false, snapshot: snapshot as never })).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringMatching(/The option `snapshot`/),
      next: 'Pass what `server.snapshot()` returns.',
    });
  }
});

test('a snapshot is not for a server with a directory', async () => {
  const { snapshot } = { snapshot: (await prepared()).snapshot() };
  await expect(EmbeddedApiServer.start({ port: false, snapshot, data: '/nowhere' })).rejects.toMatchObject({ code: 'option-invalid' });
});

test('a server opens its socket later', async () => {
  const server = await EmbeddedApiServer.start({ port: false });
  expect(() => server.kubeconfig).toThrow('without a socket');
  await Promise.all([server.listen({ tls: false }), server.listen({ tls: false })]);
  const response = await fetch(`${server.url}/version`, { headers: { authorization: `Bearer ${server.token}` } });
  expect(response.status).toBe(200);
  expect(server.kubeconfig).toContain(server.url);
  const second = await EmbeddedApiServer.start({ port: false });
  const port = Number(new URL(server.url).port);
  await expect(second.listen({ port })).rejects.toMatchObject({
    code: 'port-unavailable',
    message: `Port ${port} of the loopback interface cannot be opened (EADDRINUSE)`,
  });
  await second.listen();
  expect(second.url).toMatch(/^https:/);
  await Promise.all([server.stop(), second.stop()]);
});
