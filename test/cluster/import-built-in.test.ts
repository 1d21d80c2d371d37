import { expect, inject, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('import-built-in');

test('k8s of a cluster is written with what its server says of the fields', async () => {
  const project = testEnvironment.project({});
  const { exitCode, stdout, stderr } = await project.run(['import', 'k8s', '--from-cluster']);
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toContain('imports/apps/v1.ts: ');
  const text = project.read('imports/apps/v1.ts');
  const served = await testEnvironment.cluster.client.call('GET', '/openapi/v3/apis/apps/v1');
  const schemas = Object.entries<ResponseBody>(served.components.schemas);
  const [, schema] = schemas.find(([name]) => name.endsWith('apps.v1.DeploymentSpec')) as [string, ResponseBody];
  const { description } = schema.properties.replicas;
  // The embedded server holds no prose of Kubernetes.
  expect(description === undefined).toBe(inject('server').from === 'embedded');
  if (description === undefined) return;
  expect(text).toContain(`  /** ${description} */\n  readonly replicas?: number | undefined;`);
});
