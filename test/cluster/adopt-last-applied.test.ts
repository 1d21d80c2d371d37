import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('last-applied');
if (!testEnvironment.kubectl) process.stderr.write('there is no kubectl: the tests of last-applied annotations are left out\n');

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const client = 'kubectl-client-side-apply (Update)';
const config = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const live = (name: string) => testEnvironment.cluster.get(ref(name));
const owners = (name: string) => testEnvironment.cluster.owners(ref(name));

async function kubectl(...args: string[]): Promise<string> {
  const flags = ['--kubeconfig', testEnvironment.kubeconfig, '-n', testEnvironment.namespace, ...args];
  const { stdout, stderr } = await promisify(execFile)(testEnvironment.kubectl as string, flags);
  return stdout + stderr;
}

function kubectlApply(object: object, ...flags: string[]): Promise<string> {
  const file = join(testEnvironment.directory, 'applied.json');
  writeFileSync(file, JSON.stringify(object));
  return kubectl('apply', '-f', file, ...flags);
}

async function adopt(project: Project, ...args: string[]) {
  const result = await project.run(['adopt', '-o', 'json', '--yes', ...args]);
  const adoptions = result.events.filter(({ event }) => event === 'adoption');
  const record = result.events.find(({ event }) => event === 'record')?.file as string;
  expect(result.exitCode, result.stderr).toBe(0);
  return { ...result, adoptions, record };
}

async function deployed(project: Project): Promise<void> {
  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
}

const applied = ({ metadata }: ResponseBody) => JSON.parse(metadata.annotations[annotation]);

describe.runIf(testEnvironment.kubectl)('kubectl apply keeps the fields of a stack that its file drops', () => {
  const at = (name: string, template: object, spec: object = {}, apiVersion = 'apps/v1') => ({
    apiVersion,
    kind: 'Deployment',
    metadata: { name },
    spec: { ...spec, template },
  });
  const pods = (container: object, spec: object = {}) => ({
    metadata: { labels: { app: 'a' } },
    spec: { ...spec, containers: [{ name: 'web', image: 'a:1', ...container }] },
  });
  const ours = (container: object, spec: object = {}) => ({ spec: { ...spec, containers: [{ name: 'web', ...container }] } });
  const service = (...ports: readonly object[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'ports' },
    spec: { selector: { app: 'a' }, ports },
  });
  const selector = { matchLabels: { app: 'a' } };
  const web = ({ spec }: ResponseBody) => spec.template.spec.containers[0];

  test.each<{
    what: string;
    file: ResponseBody;
    declared: object;
    /** The fields that the annotation loses. */
    fields: readonly string[];
    next: object;
    left: (object: ResponseBody) => unknown;
    stays: unknown;
  }>([
    {
      what: 'a value that was forced',
      file: config('forced', { b: '1', k: '1' }),
      declared: config('forced', { b: '2' }),
      fields: ['.data.b'],
      next: config('forced', { k: '2' }),
      left: ({ data }) => data,
      stays: { b: '2', k: '2' },
    },
    {
      what: 'values that were forced, and a list item that was forced in part',
      file: at('scaled', pods({ env: [{ name: 'A', value: 'kubectl' }] }), { selector, replicas: 1 }),
      declared: at('scaled', ours({ env: [{ name: 'A', value: 'stack' }] }), { replicas: 2 }),
      fields: [
        '.spec.replicas',
        '.spec.template.spec.containers[name="web"].env[name="A"].name',
        '.spec.template.spec.containers[name="web"].env[name="A"].value',
      ],
      next: at('scaled', pods({}), { selector }),
      left: (object) => [object.spec.replicas, web(object).env],
      stays: [2, [{ name: 'A', value: 'stack' }]],
    },
    {
      what: 'an atomic list, a nested map, and an empty map around a field of the stack',
      file: at('nested', pods({ args: ['x'], resources: { limits: { cpu: '1', memory: '1Gi' } } }, { securityContext: {} }), { selector }),
      declared: at('nested', ours({ args: ['y'], resources: { limits: { cpu: '2' } } }, { securityContext: { runAsUser: 7 } })),
      fields: [
        '.spec.template.spec.containers[name="web"].args',
        '.spec.template.spec.containers[name="web"].resources.limits.cpu',
        '.spec.template.spec.securityContext.runAsUser',
      ],
      next: at('nested', pods({ resources: { limits: { memory: '2Gi' } } }), { selector }),
      left: (object) => [web(object).args, web(object).resources.limits, object.spec.template.spec.securityContext],
      stays: [['y'], { cpu: '2', memory: '2Gi' }, { runAsUser: 7 }],
    },
    {
      what: 'an item whose key the server completes',
      file: service({ name: 'a', port: 80 }, { name: 'b', port: 81 }),
      declared: service({ name: 'b', port: 81, targetPort: 8081 }),
      fields: ['.spec.selector', '.spec.ports[port=81,protocol="TCP"].name', '.spec.ports[port=81,protocol="TCP"].port'],
      next: service({ name: 'a', port: 80 }),
      left: ({ spec }) => spec.ports.map(({ port }: ResponseBody) => port),
      stays: [80, 81],
    },
    {
      what: 'a label and a value of a set, with equal values',
      file: config('equal', { k: '1' }, { labels: { team: 'x', theirs: '1' }, finalizers: ['example.com/a', 'example.com/b'] }),
      declared: config('equal', {}, { labels: { team: 'x' }, finalizers: ['example.com/a'] }),
      fields: ['.metadata.finalizers[="example.com/a"]', '.metadata.labels.team'],
      next: config('equal', { k: '1' }, { labels: { theirs: '1' }, finalizers: ['example.com/b'] }),
      left: ({ metadata }) => [metadata.labels, metadata.finalizers],
      stays: [{ team: 'x', theirs: '1' }, ['example.com/a', 'example.com/b']],
    },
  ])('$what', async ({ file, declared, fields, next, left, stays }) => {
    const address = testEnvironment.ref(file.apiVersion, file.kind, file.metadata.name);
    testEnvironment.onCleanup(() => testEnvironment.cluster.patch('test', address, { metadata: { finalizers: null } }));
    await kubectlApply(file);
    const project = testEnvironment.program({ main: [share(declared)] });
    await deployed(project);
    expect((await adopt(project)).adoptions).toMatchObject([{ result: 'adopted', lastApplied: 'trimmed', lastAppliedFields: fields }]);
    expect((await adopt(project)).adoptions).toEqual([]);
    await kubectlApply(next);
    expect(left(await testEnvironment.cluster.get(address))).toEqual(stays);
    const { stdout, exitCode } = await project.run(['drift']);
    expect(exitCode, stdout).toBe(0);
  });

  test('after kubectl applied the same values again, though it owns them no more', async () => {
    const file = config('again', { a: '1', k: '1' });
    await kubectlApply(file);
    const project = testEnvironment.program({ main: [own(config('again', { a: '1' }))] });
    await deployed(project);
    await adopt(project);
    await kubectlApply(file);
    const before = await owners('again');
    const { adoptions, record } = await adopt(project);
    expect(adoptions).toMatchObject([{ result: 'adopted', transfers: [], lastApplied: 'trimmed', lastAppliedFields: ['.data.a'] }]);
    expect(applied(await live('again')).data).toEqual({ k: '1' });
    expect(await owners('again')).toEqual(before);

    const undone = await project.run(['adopt', '--undo', record, '-o', 'json']);
    expect(undone.events).toMatchObject([{ result: 'undone', transfers: [] }]);
    expect(applied(await live('again')).data).toEqual({ a: '1', k: '1' });
    const twice = await project.run(['adopt', '--undo', record, '-o', 'json']);
    expect(twice.events).toMatchObject([{ result: 'unchanged', note: 'the annotation of kubectl apply already has its old value' }]);
    await adopt(project);
    await kubectlApply(config('again', { k: '1' }));
    expect((await live('again')).data).toEqual({ a: '1', k: '1' });
  });

  test('and deletes the others', async () => {
    await kubectlApply(config('others', { b: '1', k: '1', x: '1' }));
    const project = testEnvironment.program({ main: [share(config('others', { b: '2' }))] });
    await deployed(project);
    await adopt(project);
    await kubectlApply(config('others', { k: '1' }));
    expect((await live('others')).data).toEqual({ b: '2', k: '1' });
  });

  test('a map that its file drops whole, if the file leaves it empty before', async () => {
    const file = (labels: object | undefined) => config('emptied', { k: '1' }, labels === undefined ? {} : { labels });
    await kubectlApply(file({ team: 'x' }));
    const project = testEnvironment.program({ main: [share(config('emptied', {}, { labels: { ours: '1' } }))] });
    await deployed(project);
    expect((await adopt(project)).adoptions).toEqual([]);
    await kubectlApply(file({}));
    expect((await adopt(project)).adoptions).toMatchObject([{ lastAppliedFields: ['.metadata.labels.ours'] }]);
    await kubectlApply(file(undefined));
    expect((await live('emptied')).metadata.labels).toEqual({ ours: '1' });
  });

  test('an annotation with nothing else is removed', async () => {
    await kubectlApply(config('whole', { b: '1' }));
    const project = testEnvironment.program({ main: [own(config('whole', { b: '2' }))] });
    await deployed(project);
    expect((await adopt(project)).adoptions).toMatchObject([
      {
        transfers: [{ from: client, fields: [`.metadata.annotations.${annotation}`] }],
        lastApplied: 'removed',
        lastAppliedFields: ['.data.b'],
      },
    ]);
    // The map itself, as the server leaves it to a client that writes by update.
    expect(await owners('whole')).toEqual({ [project.manager('main')]: ['.data.b'], [client]: ['.data'] });
    expect((await live('whole')).metadata.annotations).toBeUndefined();
  });

  test('not of a field that another owner has taken in the meantime', async () => {
    await kubectlApply(config('taken', { b: '1', k: '1' }));
    const project = testEnvironment.program({ main: [share(config('taken', { b: '2' }))] });
    await deployed(project);
    await testEnvironment.cluster.patch('alice', ref('taken'), { data: { b: '3' } });
    expect((await adopt(project)).adoptions).toEqual([]);
    expect(applied(await live('taken')).data).toEqual({ b: '1', k: '1' });
  });

  test('under another field manager, if it is named', async () => {
    const file = config('argo', { b: '1', e: '1', k: '1' });
    await kubectlApply(file, '--field-manager', 'argocd-controller');
    const project = testEnvironment.program({ main: [share(config('argo', { b: '2', e: '1' }))] });
    await deployed(project);
    expect((await adopt(project)).adoptions).toEqual([]);
    expect((await adopt(project, '--from', 'argocd-controller')).adoptions).toMatchObject([
      { transfers: [{ from: 'argocd-controller (Update)', fields: ['.data.e'] }], lastAppliedFields: ['.data.b', '.data.e'] },
    ]);
    await kubectlApply(config('argo', { k: '1' }), '--field-manager', 'argocd-controller');
    expect((await live('argo')).data).toEqual({ b: '2', e: '1', k: '1' });
  });

  test('of a Secret, whose values are in no output and no record', async () => {
    const secret = (stringData: object) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'secret' },
      data: Object.fromEntries(Object.entries(stringData).map(([name, value]) => [name, btoa(value)])),
    });
    const values = { b: 'hunter2-b', k: 'hunter2-k' };
    await kubectlApply(secret(values));
    const project = testEnvironment.program({ main: [share(secret({ b: 'stack-value' }))] });
    await deployed(project);
    const { adoptions, record, stdout, stderr } = await adopt(project);
    expect(adoptions).toMatchObject([{ lastApplied: 'trimmed', lastAppliedFields: ['.data.b'] }]);
    for (const value of [...Object.values(values), 'stack-value'].flatMap((text) => [text, btoa(text)]))
      expect(stdout + stderr + readFileSync(record, 'utf8')).not.toContain(value);
    await kubectlApply(secret({ k: values.k }));
    expect(Object.keys((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', 'secret'))).data)).toEqual(['b', 'k']);
    const { events } = await project.run(['adopt', '--undo', record, '-o', 'json']);
    expect(events).toMatchObject([{ result: 'unchanged', note: expect.stringContaining('the record contains no values of a Secret') }]);
  });

  test('whatever object and version the annotation is of: kubectl does not look at them', async () => {
    await kubectlApply(config('copied', { b: '1', k: '1' }));
    const text = JSON.stringify({ apiVersion: 'v1beta1', kind: 'Other', metadata: { name: 'other' }, data: { b: '1', k: '1' } });
    await kubectl('annotate', 'configmap/copied', '--overwrite', `${annotation}=${text}`);
    const project = testEnvironment.program({ main: [share(config('copied', { b: '2' }))] });
    await deployed(project);
    expect((await adopt(project)).adoptions).toMatchObject([{ lastApplied: 'trimmed', lastAppliedFields: ['.data.b'] }]);
    expect(applied(await live('copied'))).toEqual({ apiVersion: 'v1beta1', kind: 'Other', metadata: { name: 'other' }, data: { k: '1' } });
    await kubectlApply(config('copied', { k: '1' }));
    expect((await live('copied')).data).toEqual({ b: '2', k: '1' });
  });

  test('an annotation that is no JSON object stays: kubectl refuses it', async () => {
    await kubectlApply(config('broken', { b: '1', k: '1' }));
    await kubectl('annotate', 'configmap/broken', '--overwrite', `${annotation}=["b"]`);
    const project = testEnvironment.program({ main: [share(config('broken', { b: '2' }))] });
    await deployed(project);
    expect((await adopt(project)).adoptions).toEqual([]);
    await expect(kubectlApply(config('broken', { k: '1' }))).rejects.toThrow('invalid JSON document');
  });

  test('a preview names the fields that only the annotation has', async () => {
    await kubectlApply(config('shown', { b: '1', k: '1' }));
    const project = testEnvironment.program({ main: [share(config('shown', { b: '2' }))] });
    await deployed(project);
    const version = await testEnvironment.cluster.resourceVersion(ref('shown'));
    const { stdout, exitCode } = await project.run(['adopt']);
    expect([exitCode, stdout]).toEqual([
      2,
      `ConfigMap ${testEnvironment.namespace}/shown, to stack main (${project.manager('main')})\n` +
        '  the last-applied annotation of kubectl loses fields of the stack\n' +
        '    .data.b\n',
    ]);
    expect(await testEnvironment.cluster.resourceVersion(ref('shown'))).toBe(version);
  });
});

/** One telling: diff, a deploy that takes a field from kubectl by force, doctor, and adopt where it leaves the annotation. */
describe.runIf(testEnvironment.kubectl)('what kubectl will delete or reset is told, once an object', () => {
  const unwrapped = (text: string) => text.replaceAll(/\s+/g, ' ');
  const told = (events: readonly ResponseBody[]) =>
    events.filter(({ code }) => code === 'in-last-applied').map(({ message, next }) => ({ message, next }));
  const warning = (name: string, client: string, fields: string, command: string) => ({
    message:
      `ConfigMap ${testEnvironment.namespace}/${name} of stack main: ${client} has ${fields} in the last-applied annotation: its next apply ` +
      'deletes each of these fields that its file lacks, and resets each that its file has with another value',
    next: `Run \`${command}\` before a field is dropped from the file (docs/adopt.md).`,
  });

  test.each([
    { what: 'of kubectl', name: 'told', client: 'kubectl-client-side-apply', flags: [], command: 'fieldwise adopt', adopt: [] },
    {
      what: 'of another client',
      name: 'told-argo',
      client: 'argocd-controller',
      flags: ['--field-manager', 'argocd-controller'],
      command: 'fieldwise adopt --from argocd-controller',
      adopt: ['--from', 'argocd-controller'],
    },
  ])('$what', async ({ name, client, flags, command, adopt: from }) => {
    await kubectlApply(config(name, { b: '1', e: '1', k: '1' }), ...flags);
    const project = testEnvironment.program({ main: [share(config(name, { b: '2', e: '1', n: '1' }))] });
    const expected = [warning(name, client, '.data.b, .data.e', command)];
    expect(told((await project.run(['diff', '-o', 'json'])).events)).toEqual(expected);
    const report = await project.run(['deploy', '--yes', '-o', 'json']);
    expect(told(report.events), report.stderr).toEqual(expected);
    expect(told((await project.run(['deploy', '--yes', '-o', 'json'])).events)).toEqual([]);
    expect(told((await project.run(['diff', '-o', 'json'])).events)).toEqual(expected);
    expect(told((await project.run(['diff', '--read-only', '-o', 'json'])).events)).toEqual(expected);
    const inspected = async () => told((await project.run(['doctor', '--objects', '-o', 'json'])).events);
    expect(await inspected()).toEqual(expected.map(({ message, next }) => ({ message: message.slice(message.indexOf(': ') + 2), next })));
    if (from.length > 0) {
      const left = await adopt(project);
      expect(left.events).toEqual([]);
      expect(unwrapped(left.stderr)).toContain(`${expected[0]?.message}. ${expected[0]?.next} [in-last-applied]`);
    }
    const adopted = await adopt(project, ...from);
    expect(adopted.adoptions).toMatchObject([{ lastAppliedFields: ['.data.b', '.data.e'] }]);
    expect(adopted.stderr).not.toContain('in-last-applied');
    expect(told((await project.run(['diff', '-o', 'json'])).events)).toEqual([]);
    expect(await inspected()).toEqual([]);
  });

  test('of kubectl that has since applied the file on the server', async () => {
    const file = config('told-moved', { b: '1', k: '1' });
    await kubectlApply(file);
    await kubectlApply(file, '--server-side', '--force-conflicts');
    const project = testEnvironment.program({ main: [share(config('told-moved', { b: '2' }))] });
    const expected = [warning('told-moved', 'kubectl-last-applied', '.data.b', 'fieldwise adopt')];
    await deployed(project);
    expect(told((await project.run(['diff', '-o', 'json'])).events)).toEqual(expected);
    const adopted = await adopt(project, '--from', 'kubectl');
    expect(adopted.adoptions).toMatchObject([{ lastAppliedFields: ['.data.b'] }]);
    expect(adopted.stderr).not.toContain('in-last-applied');
    await kubectlApply(config('told-moved', { k: '2' }));
    expect((await live('told-moved')).data).toEqual({ b: '2', k: '2' });
  });

  test('not without an annotation, and not of fields that it lacks', async () => {
    await kubectl('create', 'configmap', 'untold', '--from-literal', 'b=1');
    await kubectlApply(config('untold-others', { k: '1' }));
    const declared = [share(config('untold', { b: '2' })), share(config('untold-others', { b: '2' }))];
    const project = testEnvironment.program({ main: declared });
    expect(told((await project.run(['diff', '-o', 'json'])).events)).toEqual([]);
    expect(told((await project.run(['deploy', '--yes', '-o', 'json'])).events)).toEqual([]);
    expect(told((await project.run(['doctor', '--objects', '-o', 'json'])).events)).toEqual([]);
    const { stderr } = await adopt(project);
    expect(stderr).not.toContain('in-last-applied');
  });

  test('of a Secret without its values', async () => {
    const secret = (data: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'told-secret' }, data });
    await kubectlApply(secret({ b: btoa('hunter2') }));
    const project = testEnvironment.program({ main: [share(secret({ b: btoa('stack-value') }))] });
    for (const words of [['diff'], ['deploy', '--yes'], ['doctor', '--objects']]) {
      const { stdout, stderr } = await project.run(words);
      expect(unwrapped(stdout + stderr)).toContain('kubectl-client-side-apply has .data.b in the last-applied annotation');
      for (const value of ['hunter2', btoa('hunter2'), 'stack-value', btoa('stack-value')]) expect(stdout + stderr).not.toContain(value);
    }
  });
});
