import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('guardcheck');
const { cluster, namespace } = testEnvironment;
const { placed, edit } = configMapHelpers(testEnvironment);

/** Prints the guards of a project and applies them. */
async function guard(project: Project, ...words: readonly string[]): Promise<void> {
  const printed = await project.run(['guard', ...words, '--deployer', 'alice']);
  expect(printed.exitCode, printed.stderr).toBe(0);
  for (const document of parseAllDocuments(printed.stdout)) {
    const manifest = document.toJS();
    await cluster.apply('admin', manifest);
    testEnvironment.onCleanup(() => cluster.remove(manifest));
  }
}

test('a guard that does not cover what its stack declares now is named by guard --check and by doctor', async () => {
  const project = testEnvironment.program({ web: [own(placed('guarded', { a: '1' }))], other: [own(placed('open', { a: '1' }))] });
  const checked = (...words: readonly string[]) => project.run(['guard', '--check', ...words]);
  expect(await checked()).toMatchObject({ exitCode: 0, stdout: 'no stack of the program has a guard\n' });
  expect(await checked('web')).toMatchObject({ exitCode: 1, stdout: 'stack web has no guard in the cluster\n' });
  await guard(project, 'web');
  expect(await checked()).toMatchObject({ exitCode: 0, stdout: 'the guard of stack web covers what it declares\n' });

  edit(project, { web: [own(placed('guarded', { fresh: '1' }))], other: [own(placed('open', { a: '1' }))] });
  const stale = await checked();
  expect(stale.exitCode).toBe(1);
  expect(stale.stdout).toBe(
    [
      `the guard of stack web does not cover .data.fresh of ConfigMap ${namespace}/guarded`,
      `the guard of stack web still covers .data.a of ConfigMap ${namespace}/guarded, which it does not declare`,
      '',
    ].join('\n'),
  );
  const inJson = await project.run(['guard', '--check', '-o', 'json']);
  const of = (field: string) => [{ object: `ConfigMap ${namespace}/guarded`, fields: [field] }];
  expect([inJson.exitCode, inJson.events]).toEqual([
    1,
    [
      { event: 'guard', stack: 'web', state: 'stale', uncovered: of('.data.fresh'), left: of('.data.a') },
      { event: 'guard', stack: 'other', state: 'none', uncovered: [], left: [] },
    ],
  ]);
  expect(await project.run(['guard', '-o', 'json'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[flag-without-use]') });
  const { events, exitCode } = await project.run(['doctor', '-o', 'json']);
  expect(exitCode).toBe(4);
  expect(events.filter(({ check }) => check === 'guard')).toMatchObject([
    { ok: false, detail: expect.stringContaining('does not cover .data.fresh') },
    { ok: false, detail: expect.stringContaining('still covers .data.a') },
  ]);
});
