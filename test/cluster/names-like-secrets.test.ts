import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('names-like-secrets');
const { config } = configMapHelpers(testEnvironment);

test('a command of a plan names the manager of another app, although a Secret has the name of that app as its value', async () => {
  const theirs = testEnvironment.program({ main: [own(config('page'))] });
  await theirs.deploy();
  const manager = theirs.manager('main');
  const app = manager.split('/')[1] as string;
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'names' }, stringData: { database: app } };
  const project = testEnvironment.program({ web: [own(config('page')), own(secret)] });
  const { stdout, stderr } = await project.run(['diff']);
  expect(stdout.replaceAll(/\s+/g, ' '), stderr).toContain(`\`fieldwise adopt web --from manager:${manager}\``);
});
