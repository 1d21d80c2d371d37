import { readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { connect, type RunReport, undoForcedConflicts } from '../../src/entry/deploy.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('report');

const config = (name: string, data: object = { ours: 'here' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const readReport = (project: { read(path: string): string }): RunReport => JSON.parse(project.read('report.json'));

describe('--output-file report=FILE', () => {
  test('writes what -o json says of each object, and nothing beside the file', async () => {
    await testEnvironment.cluster.apply('other', { ...ref('told'), data: { ours: 'theirs' } });
    const project = testEnvironment.program({ main: [own(config('told')), own(config('made'))] });
    const report = await project.deploy(['--output-file', 'report=report.json', '--yes']);
    const written = readReport(project);
    expect(written.objects).toEqual(report.objects);
    expect(written.summary).toEqual(report.summary);
    expect(written).toMatchObject({ fieldwise: 1, verb: 'deploy', stacks: ['main'] });
    expect(readdirSync(project.directory).filter((name) => name.startsWith('report'))).toEqual(['report.json']);
    expect((await testEnvironment.cluster.get(ref('told'))).metadata.uid).toBe(written.objects.find(({ name }) => name === 'told')?.uid);
  });

  test('that cannot be written is refused before anything is changed', async () => {
    const report = await testEnvironment
      .program({ main: [own(config('unwritten'))] })
      .deploy(['--output-file', 'report=missing/report.json']);
    expect([report.exitCode, report.stderr]).toEqual([2, expect.stringMatching(/report-not-written/)]);
    expect(await testEnvironment.cluster.find(ref('unwritten'))).toBeUndefined();
  });

  test('holds no value of a Secret', async () => {
    const secret = (value: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hidden' },
      data: { key: Buffer.from(value).toString('base64') },
    });
    await testEnvironment.cluster.apply('other', {
      ...secret('theirs-secret'),
      metadata: { name: 'hidden', namespace: testEnvironment.namespace },
    });
    const project = testEnvironment.program({ main: [own(secret('ours-secret'))] });
    const report = await project.deploy(['--output-file', 'report=report.json', '--yes']);
    expect(report.only().forcedConflicts).toHaveLength(1);
    for (const value of ['theirs-secret', 'ours-secret']) {
      for (const text of [value, Buffer.from(value).toString('base64')]) expect(project.read('report.json')).not.toContain(text);
    }
  });

  test('names all items that had the keys of a declared one, and an undo leaves the one that is left', async () => {
    const good = { name: 'A', value: 'good' };
    const evil = { name: 'A', value: 'evil' };
    const labels = { app: 'doubled' };
    const deployment = {
      ...testEnvironment.ref('apps/v1', 'Deployment', 'doubled'),
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1', env: [good] }] } },
      },
    };
    const project = testEnvironment.program({ main: [own(deployment)] });
    await project.deploy(['--no-wait']);
    const add = [{ op: 'add', path: '/spec/template/spec/containers/0/env/-', value: evil }];
    await testEnvironment.cluster.patch('other', deployment, add, 'json');
    const field = '.spec.template.spec.containers[name="web"].env[name="A"]';
    const taken = [{ field, oldValue: [good, evil], newValue: good, from: 'other' }];
    for (const args of [['diff'], ['diff', '--read-only']]) expect((await project.run(args)).stdout).toContain('"value":"evil"}] → ');
    const report = await project.deploy(['--output-file', 'report=report.json', '--yes', '--no-wait']);
    expect(report.only().forcedConflicts).toMatchObject(taken);
    const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig });
    const undone = await undoForcedConflicts(readReport(project), cluster);
    cluster.close();
    expect(undone).toMatchObject([{ field, undone: false, reason: expect.stringContaining('several items with its keys') }]);
  });

  test('is enough to undo a forced conflict, and does not touch fields changed since', async () => {
    const number = { 'large.json': '{"n": 12345678901234567890}' };
    await testEnvironment.cluster.apply('other', { ...ref('undone'), data: { a: 'theirs', b: 'theirs', ...number } });
    const project = testEnvironment.program({ main: [own(config('undone', { a: 'ours', b: 'ours' }))] });
    await project.deploy(['--output-file', 'report=report.json', '--yes']);
    await testEnvironment.cluster.patch('third', ref('undone'), { data: { b: 'newer' } });
    const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig });
    const undone = await undoForcedConflicts(readReport(project), cluster);
    cluster.close();
    expect(undone).toMatchObject([
      { field: '.data.a', to: 'other', undone: true },
      { field: '.data.b', to: 'other', undone: false, reason: 'it no longer has the value that the deploy set' },
    ]);
    expect((await testEnvironment.cluster.get(ref('undone'))).data).toEqual({ a: 'theirs', b: 'newer', ...number });
    expect(await testEnvironment.cluster.owners(ref('undone'))).toMatchObject({
      'other (Update)': ['.data.a'],
      'third (Update)': ['.data.b'],
    });
  });

  describe('of a field that an updater had alone, which keeps its map in its set', () => {
    const taken = (oldValue: string, newValue = 'ours', from = 'other') => [
      { field: '.data.a', from, operation: 'Update', oldValue, newValue },
    ];
    const begun = async (name: string, policy?: object) => {
      await testEnvironment.cluster.create('other', { ...ref(name), data: { a: 'theirs' } });
      const project = testEnvironment.program({ main: [own(config(name, { a: 'ours' }), policy)] });
      const report = await project.deploy(['--output-file', 'report=report.json', '--yes']);
      expect(report.only().forcedConflicts).toEqual(taken('theirs'));
      return project;
    };

    test('the deploy after the undoing says only what it takes, with its values', async () => {
      const project = await begun('retaken');
      const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig });
      await undoForcedConflicts(readReport(project), cluster).finally(() => cluster.close());
      const report = await project.deploy(['--yes']);
      expect(report.only().forcedConflicts).toEqual(taken('theirs'));
      expect(report.summary.forcedConflicts).toBe(1);
      expect((await testEnvironment.cluster.get(ref('retaken'))).data).toEqual({ a: 'ours' });
    });

    test('so does one after a third had written it', async () => {
      const project = await begun('thirds');
      await testEnvironment.cluster.patch('third', ref('thirds'), { data: { a: 'newer' } });
      expect((await project.deploy(['--yes'])).only().forcedConflicts).toEqual(taken('newer', 'ours', 'third'));
    });

    test.each(['force', 'fail', 'yield'])('another value of the stack takes nothing from them, under %s', async (conflicts) => {
      const name = `ours-${conflicts}`;
      const project = await begun(name);
      project.write({ 'main.ts': testEnvironment.text({ main: [own(config(name, { a: 'newer' }), { conflicts })] }) });
      expect((await project.run(['diff'])).stdout).toMatch(/change {4}\.data\.a: "ours" → "newer"\n/);
      expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [], yielded: [], conflicts: [] });
      expect((await testEnvironment.cluster.get(ref(name))).data).toEqual({ a: 'newer' });
    });
  });
});

test('each object ends in exactly one state, whatever goes wrong on the way', async () => {
  const faults = fc.record({ every: fc.integer({ min: 2, max: 6 }), kind: fc.constantFrom('drop' as const, 500, 403, 422) });
  const declared = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
  const round = fc.record({ declared, shared: fc.uniqueArray(fc.constantFrom('x', 'y')), faults: fc.option(faults) });
  const proxy = await testEnvironment.proxy();
  for (const name of ['x', 'y']) await testEnvironment.cluster.apply('owner', { ...ref(`round-${name}`), data: { theirs: 'here' } });
  const project = testEnvironment.program({ main: [] }, { kubeconfig: proxy.kubeconfig });
  const retired = new Set<string>();
  for (const { declared, shared, faults } of fc.sample(round, { numRuns: 8, seed: 7 })) {
    const names = [...declared, ...shared].map((name) => `round-${name}`);
    const owned = declared.map((name) => own(config(`round-${name}`)));
    const sharedIntents = shared.map((name) => share(config(`round-${name}`), { waitSeconds: 0 }));
    project.write({ 'main.ts': testEnvironment.text({ main: [...owned, ...sharedIntents] }) });
    let writes = 0;
    proxy.onRequest = ({ method, path }) => {
      if (!faults || method === 'GET' || !path.includes('/configmaps/round-')) return undefined;
      writes += 1;
      if (writes % faults.every !== 0) return undefined;
      if (faults.kind === 'drop') return 'drop';
      return { status: faults.kind, body: { kind: 'Status', code: faults.kind, reason: 'Invalid', message: 'as the test wants it' } };
    };
    const report = await project.deploy(['--yes']);
    const reported = report.objects.map(({ name }) => name).sort();
    const expected = [...new Set([...names, ...retired])].sort();
    expect(new Set(reported).size, String(report)).toBe(reported.length);
    expect(reported.filter((name) => names.includes(name))).toEqual([...names].sort());
    for (const name of reported) expect(expected).toContain(name);
    const went = report.objects.filter(({ result }) => ['deleted', 'released', 'absent'].includes(result)).map(({ name }) => name);
    for (const name of retired) if (!names.includes(name)) expect(reported, String(report)).toContain(name);
    for (const name of names) retired.add(name);
    for (const name of went) retired.delete(name);
    expect(Object.values(report.summary.counts as Record<string, number>).reduce((sum, count) => sum + count, 0)).toBe(reported.length);
  }
});
