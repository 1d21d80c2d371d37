import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { ctrlC, ctrlD, noTerminal } from '../harness/terminal.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('at-terminal');
const { ref, config, edit } = configMapHelpers(testEnvironment);
/** The Leases that a run holds; those of stacks that have an inventory stay without a holder. */
const heldLeases = async () => {
  const found = await testEnvironment.cluster.list('coordination.k8s.io/v1', 'Lease', testEnvironment.namespace);
  return found.filter(({ spec }) => spec.holderIdentity !== '');
};
if (noTerminal !== undefined) console.log(`skipped, questions at a terminal: ${noTerminal}`);

const keys = [
  { pressed: 'y', key: 'y\r', exitCode: 0, done: true },
  { pressed: 'Yes', key: 'Yes\r', exitCode: 0, done: true },
  { pressed: 'n', key: 'n\r', exitCode: 2, done: false },
  { pressed: 'Enter', key: '\r', exitCode: 2, done: false },
  { pressed: 'yet another word', key: 'yet another word\r', exitCode: 2, done: false },
  { pressed: 'Ctrl-D', key: ctrlD, exitCode: 2, done: false },
  { pressed: 'Ctrl-C', key: ctrlC, exitCode: 130, done: false },
];
const few = keys.filter(({ pressed }) => ['y', 'Ctrl-D', 'Ctrl-C'].includes(pressed));

describe.skipIf(noTerminal !== undefined)('at a terminal, a question is answered by a key', () => {
  test.each(keys)('what leaves the program: $pressed → exit code $exitCode', async ({ pressed, key, exitCode, done }) => {
    const name = `leaving-${nameOf(pressed)}`;
    const project = testEnvironment.program({ [name]: [own(config(name, { a: '1' }))] });
    await deployed(project);
    edit(project, { [name]: [] });
    const run = await project.runAtTerminal(['deploy'], [key]);
    expect(run.exitCode, run.screen).toBe(exitCode);
    expect((await testEnvironment.cluster.find(ref(name))) === undefined, run.screen).toBe(done);
    expect(await heldLeases()).toEqual([]);
  });

  test.each(few)('a destroy: $pressed → exit code $exitCode', async ({ pressed, key, exitCode, done }) => {
    const name = `destroyed-${nameOf(pressed)}`;
    const project = testEnvironment.program({ [name]: [own(config(name, { a: '1' }))] });
    await deployed(project);
    const run = await project.runAtTerminal(['destroy'], [key]);
    expect(run.exitCode, run.screen).toBe(exitCode);
    expect((await testEnvironment.cluster.find(ref(name))) === undefined, run.screen).toBe(done);
    expect(await heldLeases()).toEqual([]);
  });

  test.each(few)('a first deploy that takes a value: $pressed → exit code $exitCode', async ({ pressed, key, exitCode, done }) => {
    const name = `taken-${nameOf(pressed)}`;
    await testEnvironment.cluster.apply('them', { ...ref(name), data: { a: 'theirs' } });
    const project = testEnvironment.program({ [name]: [own(config(name, { a: 'ours' }))] });
    const run = await project.runAtTerminal(['deploy'], [key]);
    expect(run.exitCode, run.screen).toBe(exitCode);
    expect((await testEnvironment.cluster.get(ref(name))).data).toEqual({ a: done ? 'ours' : 'theirs' });
    expect(await heldLeases()).toEqual([]);
  });

  test('of two questions both are asked before anything is done', async () => {
    await testEnvironment.cluster.apply('them', { ...ref('second'), data: { a: 'theirs' } });
    const project = testEnvironment.program({ both: [own(config('first', { a: '1' }))] });
    await deployed(project);
    edit(project, { both: [own(config('second', { a: 'ours' }))] });
    const refused = await project.runAtTerminal(['deploy'], ['y\r', 'n\r']);
    expect(refused.exitCode, refused.screen).toBe(2);
    expect(refused.screen.match(/\[y\/N\]/g)).toHaveLength(2);
    expect((await testEnvironment.cluster.get(ref('first'))).data).toEqual({ a: '1' });
    expect((await testEnvironment.cluster.get(ref('second'))).data).toEqual({ a: 'theirs' });
    const agreed = await project.runAtTerminal(['deploy'], ['y\r', 'y\r']);
    expect(agreed.exitCode, agreed.screen).toBe(0);
    expect(await testEnvironment.cluster.find(ref('first'))).toBeUndefined();
    expect((await testEnvironment.cluster.get(ref('second'))).data).toEqual({ a: 'ours' });
  });
});

function nameOf(pressed: string): string {
  return pressed.toLowerCase().replaceAll(' ', '-');
}

test.skipIf(noTerminal !== undefined)('a question says what is not asked; a list has colors, not their codes as text', async () => {
  const project = testEnvironment.program({ seen: [own(config('seen', { a: '1' }))] });
  await deployed(project);
  const list = await project.runAtTerminal(['list'], []);
  expect([list.exitCode, list.screen.includes('<U+'), list.screen.includes('ready')], list.screen).toEqual([0, false, true]);
  edit(project, { seen: [] });
  const { screen } = await project.runAtTerminal(['deploy'], ['n\r']);
  expect(screen.replaceAll(/\s+/g, ' ')).toContain('and take fields by force: `fieldwise diff` shows what.');
});

test.skipIf(noTerminal !== undefined)('a question is broken between words', async () => {
  const words = 'in which the terminal would break a word';
  const project = testEnvironment.program({ wide: [own(config('wide', { a: '1' }))] });
  await testEnvironment.cluster.apply(`them ${words}`, { ...ref('wide'), data: { a: 'theirs' } });
  const { screen } = await project.runAtTerminal(['deploy'], ['n\r']);
  const question = screen.slice(0, screen.indexOf('[y/N]'));
  expect(question.replaceAll(/\s+/g, ' ')).toContain(words);
  expect(question.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
