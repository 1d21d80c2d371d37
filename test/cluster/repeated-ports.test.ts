import { expect, test } from 'vitest';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('repeated-ports');
const labels = { app: 'web' };
const service = (port: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: testEnvironment.namespace },
  spec: { selector: labels, ports: [{ name: 'http', port }] },
});
const deployment = (containerPort: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: testEnvironment.namespace },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1', ports: [{ name: 'http', containerPort }] }] } },
  },
});

test.each([
  ['of a Service', service, testEnvironment.ref('v1', 'Service', 'web'), '.spec.ports[port=80,protocol="TCP"]'],
  [
    'of a container',
    deployment,
    testEnvironment.ref('apps/v1', 'Deployment', 'web'),
    '.spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]',
  ],
] as const)(
  'a port %s that gets another number under a name that another owner keeps is explained, with the owner',
  async (_, make, ref, port) => {
    const project = testEnvironment.program({ main: [own(make(80))] });
    expect((await project.deploy(['--no-wait'])).exitCode).toBe(0);
    await testEnvironment.cluster.apply('other-tool', make(80));
    project.write({ 'main.ts': testEnvironment.text({ main: [own(make(8080))] }) });
    const explained = {
      code: 'port-name-taken',
      message: `Two ports would have the name "http": ${port} stays, because other-tool owns it, too`,
      next: expect.stringMatching(
        /Let the other owner renumber or drop its port first.* declare it with its old number, run `fieldwise adopt`/,
      ),
    };
    const { events } = await project.run(['diff', '-o', 'json']);
    expect(eventsOf(events, 'plan')[0]).toMatchObject({ action: 'blocked', error: explained });
    const refused = await project.deploy(['--no-wait']);
    expect([refused.exitCode, refused.only().result, refused.only().error]).toEqual([4, 'failed', expect.objectContaining(explained)]);
    // The way out: the other owner changes its port first.
    await testEnvironment.cluster.apply('other-tool', { apiVersion: ref.apiVersion, kind: ref.kind, metadata: ref.metadata });
    expect((await project.deploy(['--no-wait'])).only().result).toBe('updated');
  },
);

test('an adoption by a stack that declares another number already says to declare the old one first, and that helps', async () => {
  const of = (port: number) => ({ ...service(port), metadata: { ...service(port).metadata, name: 'handed' } });
  const project = testEnvironment.program({ previousOwner: [own(of(80))], receiver: [own(of(80))] });
  expect((await project.deploy(['--no-wait'])).exitCode).toBe(0);
  const before = await testEnvironment.cluster.get(of(80));
  const adopt = () => project.run(['adopt', 'receiver', 'Service/handed', '--from', 'stack:previousOwner', '--yes']);
  project.write({ 'main.ts': testEnvironment.text({ previousOwner: [own(of(80))], receiver: [own(of(8080))] }) });
  const refused = await adopt();
  expect(refused.exitCode).toBe(4);
  expect(refused.stderr).toContain('.spec.ports[port=80,protocol="TCP"] stays, because');
  expect(refused.stderr).toContain('To take over the port, declare it with its old number, run `fieldwise adopt`');
  expect(refused.stderr).toContain('[port-name-taken]');
  expect(await testEnvironment.cluster.get(of(80))).toEqual(before);

  project.write({ 'main.ts': testEnvironment.text({ previousOwner: [], receiver: [own(of(80))] }) });
  const handed = await adopt();
  expect(handed.exitCode, handed.stderr).toBe(0);
  project.write({ 'main.ts': testEnvironment.text({ previousOwner: [], receiver: [own(of(8080))] }) });
  const report = await project.deploy(['--no-wait', '--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  expect((await testEnvironment.cluster.get(of(80))).spec.ports).toMatchObject([{ name: 'http', port: 8080 }]);
});
