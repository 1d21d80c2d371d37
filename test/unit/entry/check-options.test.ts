import { expect, test } from 'vitest';
import { connect, deploy, destroy, listStacks, plan } from '../../../src/entry/deploy.js';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';
import { inProcessCluster } from '../../../src/entry/in-process.js';

const cluster = inProcessCluster(await EmbeddedApiServer.start({ port: false }));

test.each<[option: string, value: unknown, expected: string]>([
  ['concurrency', 0, 'an integer from 1 to 256'],
  ['concurrency', 257, 'an integer from 1 to 256'],
  ['concurrency', 1.5, 'an integer from 1 to 256'],
  ['strategy', 'foo', "'server-side' or 'dynamic'"],
  ['reconcile', 'none', "'full' or 'changed'"],
  ['waitSeconds', -5, 'a number of seconds, at least 0'],
  ['lockTimeoutSeconds', Number.NaN, 'a number of seconds, at least 0'],
  ['wait', 'yes', 'true or false'],
  ['stacks', 'shop', 'a list of names'],
])('the option %s does not have the value %s', async (option, value, expected) => {
  const options = { [option]: value } as never;
  const refusal = { code: 'option-invalid', kind: 'usage', message: expect.stringContaining(`\`${option}\``), next: `Pass ${expected}.` };
  for (const verb of [deploy, destroy, plan]) await expect(verb('absent', cluster, options)).rejects.toMatchObject(refusal);
});

test('connect and listStacks check their options, too', async () => {
  await expect(connect({ concurrency: 0 })).rejects.toMatchObject({ code: 'option-invalid' });
  await expect(listStacks(cluster, { inventoryNamespace: 1 as never })).rejects.toMatchObject({ code: 'option-invalid' });
});

test('an option that is absent or undefined is valid', async () => {
  const options = { concurrency: undefined, waitSeconds: 0 } as never;
  await expect(deploy('absent', cluster, options)).rejects.toMatchObject({ code: expect.not.stringMatching('option-invalid') });
});
