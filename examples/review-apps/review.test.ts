import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'fieldwise';
import { deploy, destroy } from 'fieldwise/deploy';
import { EmbeddedApiServer, inProcessCluster } from 'fieldwise/embedded';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { listener, sharedGateway, sharedGatewaySpec } from './imports/edge.example.com/v1.js';

// Tests a program with an API server in the process of the test, the real deploy engine, and a check of the owners.

let server: EmbeddedApiServer;
const directory = mkdtempSync(join(tmpdir(), 'review-apps-'));

beforeAll(async () => {
  server = await EmbeddedApiServer.start({ port: false, now: () => new Date('2030-01-01T00:00:00Z') });
  // The administrator of the cluster has installed these before.
  const cluster = inProcessCluster(server);
  const crd = parse(readFileSync(new URL('crd.yaml', import.meta.url), 'utf8'));
  for (const object of [crd, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'edge' } }]) {
    await cluster.apply(object, { manager: 'cluster-admin' });
  }
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

function assembled(name: string, program: (stack: Stack) => void) {
  const app = new App({ name: 'shop', outdir: join(directory, name) });
  program(new Stack(app, name, { namespace: 'edge' }));
  app.synth();
  return app.outdir;
}

const gateway = sharedGateway('public');

test('a review adds its own entry to the gateway, and takes it away again', async () => {
  const cluster = inProcessCluster(server);
  const live = async () => {
    const path = '/apis/edge.example.com/v1/namespaces/edge/sharedgateways/public';
    const { body } = await server.handle({ method: 'GET', path });
    // biome-ignore lint/suspicious/noExplicitAny: a test knows its shape
    return body as any;
  };
  const platform = assembled('gateway', (stack) => {
    stack.own(gateway.withSpec({ class: 'nginx', listeners: [{ port: 443, protocol: 'HTTPS' }] }));
  });
  const review = assembled('review-42', (stack) => {
    const entry = listener(443).withServices({ name: 'review-42', host: 'review-42.shop.example.com' });
    stack.share(gateway.withSpec(sharedGatewaySpec().withListeners(entry)));
  });

  expect(await deploy(platform, cluster)).toMatchObject({ summary: { ok: true } });
  expect(await deploy(review, cluster)).toMatchObject({ summary: { ok: true } });
  expect((await live()).spec.listeners[0].services).toEqual([{ name: 'review-42', host: 'review-42.shop.example.com' }]);
  expect((await live()).metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toEqual([
    'fieldwise/shop/default/gateway',
    'fieldwise/shop/default/review-42',
  ]);

  await destroy(review, cluster, { confirm: async () => true });
  expect((await live()).spec).toEqual({ class: 'nginx', listeners: [{ port: 443, protocol: 'HTTPS' }] });
});
