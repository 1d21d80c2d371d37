import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('fights');
const { config, ref, live } = configMapHelpers(testEnvironment);

/** A Pod template is not needed: tolerations of a PodTemplate are an atomic list of a kind that no controller touches. */
const tolerating = (name: string, ...keys: string[]) => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name },
  template: { spec: { tolerations: keys.map((key) => ({ key, operator: 'Exists' })) } },
});
const base = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name },
  template: { metadata: { labels: { name } }, spec: { containers: [{ name: 'app', image: 'registry.example.com/app:1' }] } },
});

describe('an atomic list that two stacks force in turns', () => {
  test('is a fight at the fourth time in a row: it is taken, reported, and the deploy ends with 5', async () => {
    await testEnvironment.cluster.apply('somebody', {
      ...base('fought'),
      metadata: { name: 'fought', namespace: testEnvironment.namespace },
    });
    const one = testEnvironment.program({ one: [share(tolerating('fought', 'red'))] });
    const other = testEnvironment.program({ other: [share(tolerating('fought', 'blue'))] });
    await deployed(one, '--yes');
    const field = '.template.spec.tolerations';
    for (const times of [1, 2, 3, 4]) {
      const report = await other.deploy(['--yes']);
      const { result, forcedConflicts, contendedFields } = report.only();
      expect([result, forcedConflicts.map((conflict) => conflict.field)]).toEqual(['updated', [field]]);
      expect(report.exitCode, String(report)).toBe(times > 3 ? 5 : 0);
      expect(contendedFields).toEqual(times > 3 ? [{ field, from: one.manager('one'), count: 4, at: expect.any(String) }] : undefined);
      expect(report.summary.contendedFields).toBe(times > 3 ? 1 : undefined);
      await one.deploy(['--yes']);
    }
    const { exitCode, stdout } = await one.run(['deploy', '--yes']);
    expect(exitCode).toBe(0); // nothing to take since its last deploy
    const told = await other.run(['deploy', '--yes']);
    expect([told.exitCode, told.stdout]).toEqual([
      5,
      expect.stringContaining(`fight   ${field}: forced 5 times in a row, each time from ${one.manager('one')}`),
    ]);
    expect(stdout).not.toContain('fight   ');
  });

  test('with somebody who only writes the field, it is reported and the exit code stays 0', async () => {
    const project = testEnvironment.program({ main: [own(config('edited', { a: '1' }))] });
    await deployed(project);
    for (const times of [1, 2, 3, 4]) {
      await testEnvironment.cluster.patch('kubectl-edit', ref('edited'), { data: { a: `edited ${times}` } });
      const report = await deployed(project);
      expect(report.only().contendedFields).toEqual(
        times > 3 ? [{ field: '.data.a', from: 'kubectl-edit (Update)', count: 4, at: expect.any(String) }] : undefined,
      );
    }
    expect((await live('edited')).data).toEqual({ a: '1' });
  });
});

describe('field-forced-twice between apps', () => {
  test('a stack of another app that forces the field too is named by diff and deploy', async () => {
    await testEnvironment.cluster.apply('somebody', { ...ref('both'), data: { theirs: 'here' } });
    const one = testEnvironment.program({ one: [share(config('both', { mode: 'dark' }))] });
    const other = testEnvironment.program({ other: [share(config('both', { mode: 'light' }))] });
    await deployed(one, '--yes');
    const planned = await other.run(['diff', '-o', 'json']);
    const warnings = planned.events.filter(({ code }) => code === 'field-forced-twice');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Stack other forces \.data\.mode of ConfigMap \S+\/both, and so does stack \S+\/default\/one: /),
    ]);
    expect((await other.run(['snapshot'])).exitCode).toBe(0);
    const offline = await other.run(['diff', '--offline', '-o', 'json']);
    expect(offline.events.filter(({ code }) => code === 'field-forced-twice')).toEqual(warnings);
    const { result } = await other.deploy(['--yes']);
    expect(result.events.filter(({ code }) => code === 'field-forced-twice')).toHaveLength(1);
  });

  test('not where the other stack yields the field, nor where a person forced it', async () => {
    await testEnvironment.cluster.apply('somebody', { ...ref('polite'), data: { theirs: 'here' } });
    const one = testEnvironment.program({
      one: [share(config('polite', { mode: 'dark' }), { fields: { 'data.mode': { conflicts: 'yield' } } })],
    });
    const other = testEnvironment.program({ other: [share(config('polite', { mode: 'light' }))] });
    await deployed(one, '--yes');
    const { events } = await other.run(['diff', '-o', 'json']);
    expect(eventsOf(events, 'plan')).toHaveLength(1);
    expect(events.filter(({ code }) => code === 'field-forced-twice')).toEqual([]);
  });
});
