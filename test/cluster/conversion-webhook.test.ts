import { beforeEach, describe, expect, test } from 'vitest';
import { conversionWebhook } from '../harness/conversion-webhook.js';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('conversion');

/** The answer of a kube-apiserver 1.36.3. */
const failure = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'conversion webhook for example.com/v2, Kind=Widget failed: still starting',
  code: 500,
};

test('the answer that a conversion webhook fails is not the last word', async () => {
  const proxy = await testEnvironment.proxy();
  let failures = 2;
  proxy.onRequest = ({ method }) => (method === 'PATCH' && failures-- > 0 ? { status: 500, body: failure } : undefined);
  const config = { ...testEnvironment.ref('v1', 'ConfigMap', 'c'), data: { a: '1' } };
  const report = await testEnvironment.program({ main: [own(config)] }, { kubeconfig: proxy.kubeconfig }).deploy();
  expect(report.only('ConfigMap').result, String(report)).toBe('created');
  const reason = 'the conversion webhook for example.com/v2, Kind=Widget failed';
  expect(eventsOf(report.result.events, 'retrying')).toMatchObject([{ reason }, { reason }]);
});

describe('a conversion webhook', async () => {
  const webhook = await conversionWebhook(testEnvironment);
  const group = `${testEnvironment.namespace}.example.com`;
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
  };
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
  const widget = (apiVersion: string, size: number) => ({ ...testEnvironment.ref(apiVersion, 'Widget', 'w'), spec: { size } });
  await testEnvironment.crd({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: [version('v1', true), version('v2', false)],
      conversion: webhook.conversion,
    },
  });
  const project = testEnvironment.program({ main: [own(widget(`${group}/v2`, 1))] });

  beforeEach(() => {
    webhook.failures = 0;
  });

  test.each([
    { how: 'answers that it cannot', silent: false },
    { how: 'breaks its connections', silent: true },
  ])('that $how at first is asked again, and each repetition names it', async ({ silent }) => {
    await project.deploy();
    webhook.dropsConnection = silent;
    webhook.failures = 2;
    const size = silent ? 2 : 3;
    project.write({ 'main.ts': testEnvironment.text({ main: [own(widget(`${group}/v2`, size))] }) });
    const report = await project.deploy();
    expect(report.only('Widget').result, String(report)).toBe('updated');
    const retried = eventsOf(report.result.events, 'retrying');
    expect(retried).toHaveLength(2);
    for (const { reason } of retried) expect(reason).toContain(`the conversion webhook for ${group}/`);
    expect((await testEnvironment.cluster.get(widget(`${group}/v1`, size))).spec).toEqual({ size });
  });

  test('that fails for ever: an error names it and the CustomResourceDefinition', async () => {
    await project.deploy();
    webhook.dropsConnection = false;
    webhook.failures = Number.POSITIVE_INFINITY;
    project.write({ 'main.ts': testEnvironment.text({ main: [own(widget(`${group}/v2`, 9))] }) });
    const report = await project.deploy();
    expect(report.exitCode).toBe(4);
    expect(report.only('Widget').error).toMatchObject({
      code: 'conversion-failed',
      message: expect.stringMatching(new RegExp(`conversion webhook for ${group}/v\\d, Kind=Widget failed: .*still starting`)),
      next: expect.stringContaining(`CustomResourceDefinition widgets.${group}`),
    });
    webhook.failures = 0;
    expect((await project.deploy()).exitCode).toBe(0);
  });
});
