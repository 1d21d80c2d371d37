import { expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import { removeNamespace } from '../harness/cleanup.js';
import { ref } from '../harness/cluster.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('inside');
const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-owned`);
const config = (name: string) => ({ ...ref('v1', 'ConfigMap', name, namespace.metadata.name), data: { a: '1' } });
testEnvironment.removeNamespaceLater(namespace.metadata.name);

/** Does what the comments of `fieldwise rbac` say, then applies what it prints, as an administrator. */
async function grant(project: ReturnType<TestEnvironment['program']>): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await project.run(['rbac', '--subject', `sa:${testEnvironment.namespace}/deployer`]);
  expect(exitCode, stderr).toBe(0);
  for (const line of stdout.split('\n')) {
    const [, created] = /^# .*kubectl create namespace (\S+)$/.exec(line) ?? [];
    if (created !== undefined) await testEnvironment.cluster.create('admin', ref('v1', 'Namespace', created));
  }
  for (const document of parseAllDocuments(stdout)) {
    const manifest = document.toJS() as ResponseBody;
    if (!manifest.metadata.namespace) testEnvironment.removeLater(manifest);
    await testEnvironment.cluster.apply('admin', manifest, { force: true });
  }
  return stdout.split('\n').filter((line) => line.startsWith('# '));
}

test('with the printed rights alone: deployed, destroyed, and destroyed after the Namespace took the rights along', async () => {
  const kubeconfig = await testEnvironment.account('deployer', []);
  const project = testEnvironment.program({ main: [own(namespace), own(config('first')), own(config('second'))] });
  const advice = await grant(project);
  expect(advice).toContain(
    `# Stack main owns Namespace ${namespace.metadata.name} and needs permissions inside it before its first deploy: kubectl create namespace ${namespace.metadata.name}`,
  );
  expect(advice).toEqual(
    expect.arrayContaining([
      expect.stringContaining(
        `# Anyone who may update the ConfigMap of a stack in Namespace ${testEnvironment.namespace} can make it forget or delete its objects`,
      ),
      expect.stringContaining('# A server without server-side apply also needs `create` of ConfigMaps, Secrets and Leases'),
    ]),
  );

  const deployed = await project.deploy([], { kubeconfig });
  expect(deployed.exitCode, String(deployed)).toBe(0);
  const destroyed = await project.destroy([], { kubeconfig });
  expect(destroyed.exitCode, String(destroyed)).toBe(0);
  expect(destroyed.objects.map(({ kind, result }) => [kind, result]).sort()).toEqual([
    ['ConfigMap', 'deleted'],
    ['ConfigMap', 'deleted'],
    ['Namespace', 'released'],
  ]);

  expect((await project.deploy([], { kubeconfig })).exitCode).toBe(0);
  await removeNamespace(testEnvironment.cluster, namespace.metadata.name, inject('server').hasControllers);
  const again = await project.destroy([], { kubeconfig });
  expect(again.exitCode, String(again)).toBe(0);
  expect(again.objects.map(({ result }) => result)).toEqual(['absent', 'absent', 'absent']);
  expect((await project.run(['list', '-o', 'json'])).stdout).not.toContain(project.manager('main'));
});
