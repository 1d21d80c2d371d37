import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('coexistence');
const text = readFileSync(fileURLToPath(new URL('../../docs/coexistence.md', import.meta.url)), 'utf8');

/** The program of a recipe as it stands in the document. */
function recipe(name: string): Project {
  const program = new RegExp(`<!-- recipe: ${name} -->\\n\`\`\`ts\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];
  if (program === undefined) throw new Error(`docs/coexistence.md has no recipe ${name}`);
  return testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': program });
}

async function deployed(project: Project) {
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  return report.only();
}

const web = (image: string, labels = { app: 'web' }) => ({
  ...testEnvironment.ref('apps/v1', 'Deployment', 'web'),
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'app', image, env: [{ name: 'MODE', value: 'fast' }] }] } },
  },
});
const deployment = testEnvironment.ref('apps/v1', 'Deployment', 'web');
const config = (data?: object) => ({ ...testEnvironment.ref('v1', 'ConfigMap', 'web'), ...(data ? { data } : {}) });

test('an autoscaler keeps the replicas that it has set', async () => {
  const project = recipe('autoscaler');
  await deployed(project);
  expect((await testEnvironment.cluster.get(deployment)).spec.replicas).toBe(2);
  await testEnvironment.cluster.patch('kube-controller-manager', deployment, { spec: { replicas: 5 } }, 'merge', 'scale');
  expect((await deployed(project)).yielded).toMatchObject([{ field: '.spec.replicas', value: 5, from: 'kube-controller-manager' }]);
  expect((await testEnvironment.cluster.get(deployment)).spec.replicas).toBe(5);
  await project.destroy();
});

test('a Helm chart is upgraded around what is shared, and stays when the share ends', async () => {
  await testEnvironment.cluster.create('helm', web('web:1'));
  const project = recipe('helm');
  expect((await deployed(project)).forcedConflicts).toEqual([]);
  const upgrade = { spec: { template: { spec: { containers: [{ name: 'app', image: 'web:2' }] } } } };
  await testEnvironment.cluster.patch('helm', deployment, upgrade, 'strategic');
  const app = async () => (await testEnvironment.cluster.get(deployment)).spec.template.spec.containers[0];
  expect(await app()).toMatchObject({ image: 'web:2', env: [{ name: 'MODE' }, { name: 'TRACING', value: 'on' }] });
  expect((await deployed(project)).forcedConflicts).toEqual([]);
  expect((await project.destroy()).only().result).toBe('released');
  expect(await app()).toMatchObject({ image: 'web:2', env: [{ name: 'MODE', value: 'fast' }] });
  expect((await testEnvironment.cluster.get(deployment)).metadata.labels?.team).toBeUndefined();
});

test('a port beside those that Argo CD syncs', async () => {
  const service = (port: number) => ({
    ...testEnvironment.ref('v1', 'Service', 'web'),
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port, protocol: 'TCP' }] },
  });
  const sync = (port: number) => testEnvironment.cluster.apply('argocd-controller', service(port), { force: true });
  const ports = async () => (await testEnvironment.cluster.get(service(80))).spec.ports.map(({ port }: { port: number }) => port).sort();
  await sync(80);
  const project = recipe('argo-cd');
  expect((await deployed(project)).forcedConflicts).toEqual([]);
  await sync(8080);
  expect(await ports()).toEqual([8080, 9090]);
  expect((await deployed(project)).result).not.toBe('conflict');
  await project.destroy();
  expect(await ports()).toEqual([8080]);
});

test('Flux keeps what its manifests name, and what they do not name is ours', async () => {
  const reconcile = (data: object) => testEnvironment.cluster.apply('kustomize-controller', config(data), { force: true });
  await reconcile({ colour: 'red' });
  const project = recipe('flux');
  expect((await deployed(project)).yielded).toMatchObject([{ field: '.data.colour', from: 'kustomize-controller' }]);
  const before = await testEnvironment.cluster.resourceVersion(config());
  await reconcile({ colour: 'red' });
  expect((await deployed(project)).result).toBe('unchanged');
  expect(await testEnvironment.cluster.resourceVersion(config())).toBe(before);
  expect((await testEnvironment.cluster.get(config())).data).toEqual({ colour: 'red', size: 'small' });
  await project.destroy();
  await testEnvironment.cluster.remove(config());
});

test.runIf(testEnvironment.kubectl)('kubectl apply leaves our label, and what kubectl takes comes back with a report', async () => {
  const kubectl = (...args: string[]) =>
    promisify(execFile)(testEnvironment.kubectl!, ['--kubeconfig', testEnvironment.kubeconfig, '-n', testEnvironment.namespace, ...args]);
  const project = recipe('kubectl');
  const apply = (colour: string) => {
    project.write({ 'web.json': JSON.stringify(config({ colour })) });
    return kubectl('apply', '-f', `${project.directory}/web.json`);
  };
  await apply('red');
  await deployed(project);
  await apply('green');
  expect(await testEnvironment.cluster.get(config())).toMatchObject({ data: { colour: 'green' }, metadata: { labels: { team: 'shop' } } });
  await kubectl('label', '--overwrite', 'configmap', 'web', 'team=others');
  expect((await deployed(project)).forcedConflicts).toMatchObject([
    { field: '.metadata.labels.team', oldValue: 'others', newValue: 'shop' },
  ]);
  await project.destroy();
  expect((await testEnvironment.cluster.get(config())).data).toEqual({ colour: 'green' });
});
