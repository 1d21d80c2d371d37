import { describe, expect, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('fates');
const { ref: refOf, config, live, edit } = configMapHelpers(testEnvironment);
const textOf = (name: string) => `ConfigMap ${testEnvironment.namespace}/${name}`;
const labeled = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { by: 'monitoring' } } });

async function planOf(project: Project, name: string, ...args: string[]) {
  const { events } = await project.run(['diff', '-o', 'json', ...args]);
  return eventsOf(events, 'plan').find((event) => event.name === name && event.stack === 'web');
}

describe.each([
  { how: 'shares fields', sharing: (name: string) => share(config(name, { y: '1' })) },
  { how: 'shares a label', sharing: (name: string) => share(labeled(name)) },
])('an object that its stack drops while another stack of the app $how', ({ how, sharing }) => {
  const made = async (suffix: string) => {
    const name = `${how.replaceAll(' ', '-')}-${suffix}`;
    const project = testEnvironment.program({ web: [own(config(name, { x: '1' }))], monitoring: [sharing(name)] });
    await deployed(project);
    edit(project, { web: [], monitoring: [sharing(name)] });
    await project.run(['synth']);
    const reason = `not deleted: ${project.manager('monitoring')} still applies fields to it`;
    return { name, project, reason };
  };

  test('plan, question and report say that it stays, and what deletes it', async () => {
    const { name, project, reason } = await made('kept');
    for (const args of [[], ['--read-only']]) {
      expect(await planOf(project, name, ...args)).toMatchObject({
        action: 'release',
        reason: expect.stringContaining(`${reason} (--delete shared deletes it); then no stack deletes it`),
      });
    }
    const refused = await project.run(['deploy']);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`:\n    release ${textOf(name)} (${reason}`)]);
    const report = await deployed(project, '--yes');
    const command = `\`kubectl delete configmaps ${name} --namespace ${testEnvironment.namespace}\` deletes it`;
    expect(report.objects.find(({ stack }) => stack === 'web')).toMatchObject({
      result: 'released',
      reason: `${reason}; this stack has released it, and ${command}`,
    });
    expect((await live(name)).data?.x).toBeUndefined();
  });

  test('--delete shared deletes it, as the plan and the question say', async () => {
    const { name, project } = await made('deleted');
    const ends = `${project.manager('monitoring')} declares it, too, and this deletion deletes it for all`;
    expect(await planOf(project, name, '--delete', 'shared')).toMatchObject({ action: 'delete', reason: expect.stringContaining(ends) });
    const refused = await project.run(['deploy', '--delete', 'shared']);
    expect(refused.stderr).toContain(`:\n    delete ${textOf(name)} (${ends}`);
    const report = await deployed(project, '--delete', 'shared', '--yes');
    expect(report.objects.find(({ stack }) => stack === 'web')).toMatchObject({ result: 'deleted' });
    expect(await testEnvironment.cluster.find(refOf(name))).toBeUndefined();
  });

  test('`own` in that stack moves the right to delete', async () => {
    const { name, project } = await made('owned');
    edit(project, { web: [], monitoring: [own(config(name, { x: '1' }))] });
    const report = await deployed(project);
    expect(report.objects.find(({ stack }) => stack === 'monitoring')).toMatchObject({ movedFrom: 'web' });
    expect((await project.destroy()).results).toEqual({ [textOf(name)]: 'deleted' });
  });

  test('the same where its stack goes as a whole', async () => {
    const { name, project, reason } = await made('whole');
    edit(project, { monitoring: [sharing(name)] });
    const refused = await project.run(['deploy', '--prune-stacks']);
    expect(refused.stderr).toContain(`:\n    release ${textOf(name)} (${reason}`);
    const report = await deployed(project, '--prune-stacks', '--yes');
    expect(report.objects.find(({ stack }) => stack === 'web')).toMatchObject({
      result: 'released',
      reason: expect.stringContaining(reason),
    });
    expect((await live(name)).metadata.uid).toBeDefined();
  });
});

test('an object that others still share after a destroy is reported with the command that deletes it', async () => {
  const project = testEnvironment.program({ web: [own(config('left', { x: '1' }))], monitoring: [share(config('left', { y: '1' }))] });
  await deployed(project);
  const reason = `not deleted: ${project.manager('monitoring')} still applies fields to it`;
  const refused = await project.run(['destroy', 'web']);
  expect(refused.stderr).toContain(`:\n    release ${textOf('left')} (${reason} (--delete shared deletes it)`);
  expect((await project.destroy(['web', '--delete', 'shared'])).results).toEqual({ [textOf('left')]: 'deleted' });
});

test('an object that the stack has adopted is released, for a reason that plan, question and report say', async () => {
  await testEnvironment.cluster.create('them', { ...refOf('found'), data: { theirs: '1' } });
  const project = testEnvironment.program({ web: [own(config('found', { x: '1' }))] });
  await deployed(project);
  edit(project, { web: [] });
  const reason =
    'it existed before this stack; to have it deleted, declare it with `deleteExisting: true` and deploy before, or delete it by hand';
  expect(await planOf(project, 'found')).toMatchObject({ action: 'release', reason });
  expect((await project.run(['deploy'])).stderr).toContain(`:\n    release ${textOf('found')} (without .data.x; ${reason})`);
  expect((await project.run(['destroy'])).stderr).toContain(`:\n    release ${textOf('found')} (without .data.x; ${reason})`);
  expect((await project.destroy()).only()).toMatchObject({ result: 'released', reason });
});

describe('an object that the program declares with `deleteShared: true`', () => {
  const made = async (name: string) => {
    const kept = own(config(name, { x: '1' }), { deleteShared: true });
    const project = testEnvironment.program({ web: [kept, own(config(`${name}-not`, { x: '1' }))] });
    await deployed(project);
    for (const each of [name, `${name}-not`]) await testEnvironment.cluster.apply('them', { ...refOf(each), data: { theirs: '1' } });
    return { project, kept };
  };
  const stays = 'not deleted: them still applies fields to it';

  test('is deleted by a destroy, and the question names the others; no other object is', async () => {
    const { project } = await made('reviewed');
    const { exitCode, stderr } = await project.run(['destroy']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`delete ${textOf('reviewed')} (with the fields that them applies)`);
    expect(stderr).toContain(`release ${textOf('reviewed-not')} (${stays}`);
    expect((await project.destroy()).results).toEqual({ [textOf('reviewed')]: 'deleted', [textOf('reviewed-not')]: 'released' });
    expect(await testEnvironment.cluster.find(refOf('reviewed'))).toBeUndefined();
  });

  test('is released by a destroy with a program that does not say so any more, and after its declaration is dropped', async () => {
    const first = await made('changed');
    edit(first.project, { web: [own(config('changed', { x: '1' })), own(config('changed-not', { x: '1' }))] });
    expect((await first.project.destroy()).only('changed')).toMatchObject({ result: 'released', reason: expect.stringContaining(stays) });

    const second = await made('dropped');
    edit(second.project, { web: [own(config('dropped-not', { x: '1' }))] });
    expect((await deployed(second.project, '--prune', '--yes')).only('dropped').result).toBe('released');

    const third = await made('undeclared');
    edit(third.project, { web: [own(config('undeclared-not', { x: '1' }))] });
    expect((await third.project.destroy()).only('undeclared').result).toBe('released');
  });

  test('is released as before where its stack leaves the program', async () => {
    const { project } = await made('gone');
    edit(project, { other: [own(config('gone-other', { x: '1' }))] });
    expect((await project.destroy(['web'])).only('gone').result).toBe('released');
  });

  test('a share cannot say so', async () => {
    const project = testEnvironment.program({ main: [share(config('wrong', { x: '1' }), { deleteShared: true })] });
    const { exitCode, stderr } = await project.run(['synth']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/applies only to `own`/)]);
  });

  test('a stack cannot say so for all of its objects', async () => {
    const project = testEnvironment.program({ main: [own(config('level', { x: '1' }))] });
    project.write({ 'main.ts': project.read('main.ts').replace('"main")', '"main", { policy: { deleteShared: true } })') });
    const { exitCode, stderr } = await project.run(['synth']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('`deleteShared` belongs to a single intent')]);
  });
});

describe.each(['deploy', 'destroy'])('the question of %s', (verb) => {
  const ask = (project: Project) => {
    if (verb === 'deploy') edit(project, { web: [] });
    return project.run([verb]);
  };

  test('names what others keep in a Namespace, and the flag that deletes it', async () => {
    const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-${verb}`);
    testEnvironment.removeNamespaceLater(namespace.metadata.name);
    const inside = (name: string) => ({ ...ref('v1', 'ConfigMap', name, namespace.metadata.name), data: { a: '1' } });
    const project = testEnvironment.program({ web: [own(namespace), own(inside('ours'))] });
    await deployed(project);
    const alone = await ask(project);
    expect(alone.stderr).toContain(`delete Namespace ${namespace.metadata.name}`);
    await testEnvironment.cluster.apply('them', inside('theirs'));
    const { exitCode, stderr } = await ask(project);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`delete ConfigMap ${namespace.metadata.name}/ours`);
    const held = `not deleted: it contains ConfigMap ${namespace.metadata.name}/theirs, which does not belong to this stack (--delete foreign deletes it)`;
    expect(stderr).toContain(`release Namespace ${namespace.metadata.name} (${held})`);
    expect((await project.run([verb, '--delete', 'foreign'])).stderr).toContain(`delete Namespace ${namespace.metadata.name}`);
    const report = await project.run([verb, '--delete', 'foreign', '--yes', '--timeout', '0', '-o', 'json']);
    const ended = eventsOf(report.events, 'object').find((event) => event.kind === 'Namespace');
    expect(ended).toMatchObject({ result: 'deleted' });
  });

  test('does not announce the deletion of an object that does not show that the stack applied it', async () => {
    const name = `wiped-${verb}`;
    const project = testEnvironment.program({ web: [own(config(name, { x: '1' }))] });
    await deployed(project);
    await testEnvironment.cluster.patch('wiper', refOf(name), { metadata: { managedFields: [{}] } });
    const { stderr } = await ask(project);
    expect(stderr).toContain(`release ${textOf(name)} (not deleted: nothing in its managedFields shows that this stack applied it)`);
    expect(stderr).not.toContain('objects would be deleted');
    const report = await project.run([verb, '--yes', '-o', 'json']);
    expect(eventsOf(report.events, 'object').find((event) => event.name === name)).toMatchObject({
      result: 'released',
    });
  });

  test('does not announce the deletion of an object that is gone', async () => {
    const name = `gone-${verb}`;
    const project = testEnvironment.program({ web: [own(config(name, { x: '1' }))] });
    await deployed(project);
    await testEnvironment.cluster.remove(refOf(name));
    expect((await ask(project)).stderr).toContain(`forget ${textOf(name)} (it does not exist any more)`);
    await testEnvironment.cluster.create('them', { ...refOf(name), data: { theirs: '1' } });
    const reason = 'it was deleted, and another object has its name now';
    expect((await ask(project)).stderr).toContain(`forget ${textOf(name)} (${reason})`);
    if (verb === 'deploy') expect(await planOf(project, name)).toMatchObject({ action: 'absent', reason });
    const report = await project.run([verb, '--yes', '-o', 'json']);
    expect(eventsOf(report.events, 'object').find((event) => event.name === name)).toMatchObject({
      result: 'absent',
      reason,
    });
    expect((await live(name)).data).toEqual({ theirs: '1' });
  });
});
