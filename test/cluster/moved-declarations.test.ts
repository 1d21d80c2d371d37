import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { type Declared, own, share } from '../harness/program-text.js';
import { nthWrite, TestEnvironment } from '../harness/test-environment.js';
import { watchObject } from '../harness/watch.js';

const testEnvironment = await TestEnvironment.create('moved');
const { ref, config, live, owners, edit } = configMapHelpers(testEnvironment);
const textOf = (name: string) => `ConfigMap ${testEnvironment.namespace}/${name}`;
const kept = (name: string) => own(config(`${name}-kept`, { k: '1' }));

/** Stack `web` has made an object, and the program now declares it in `monitoring`. */
async function moved(name: string, object = config(name, { x: '1', y: '1' })) {
  const project = testEnvironment.program({ web: [kept(name), own(object)], monitoring: [] });
  await deployed(project);
  const { uid } = (await live(name)).metadata;
  const move = () => edit(project, { web: [kept(name)], monitoring: [own(object)] });
  move();
  await project.run(['synth']);
  return { project, uid, object, web: project.manager('web'), monitoring: project.manager('monitoring') };
}

/** The object is the one that the app made, without a lost value, of `monitoring` alone; and it ends with that stack. */
async function expectMoved({ project, uid, monitoring }: Awaited<ReturnType<typeof moved>>, name: string) {
  expect((await live(name)).metadata.uid).toBe(uid);
  expect(await owners(name)).toEqual({ [monitoring]: ['.data.x', '.data.y'] });
  expect((await project.destroy(['web'])).results[textOf(name)]).toBeUndefined();
  expect((await live(name)).data).toEqual({ x: '1', y: '1' });
  expect((await project.destroy(['monitoring'])).results).toEqual({ [textOf(name)]: 'deleted' });
}

describe('a declaration that moves within an app takes the right to delete along', () => {
  test('in one deploy, that asks nothing and loses no value', async () => {
    const made = await moved('one');
    const watched = await watchObject(testEnvironment.cluster, ref('one'));
    const report = await made.project.run(['deploy', '-o', 'json']);
    expect(report.exitCode, report.stderr).toBe(0);
    const at = (stack: string) => eventsOf(report.events, 'object').find((event) => event.name === 'one' && event.stack === stack);
    expect(at('monitoring')).toMatchObject({ movedFrom: 'web' });
    expect(at('monitoring')!.adopted).toBeUndefined();
    expect(at('web')).toMatchObject({ result: 'released', reason: expect.stringContaining('stack monitoring owns it now') });
    expect(await owners('one')).toEqual({ [made.monitoring]: ['.data.x', '.data.y'] });
    await watched.until(({ object }: ResponseBody) => object.metadata.managedFields.length === 1);
    watched.stop();
    for (const { object } of watched.events) expect(object.data).toEqual({ x: '1', y: '1' });
    await expectMoved(made, 'one');
  });

  test('with another value, which its new stack takes: the stack before it does not tell it again', async () => {
    const { project } = await moved('changed');
    edit(project, { web: [kept('changed')], monitoring: [own(config('changed', { x: '2', y: '2' }))] });
    const { objects } = await project.deploy(['--yes']);
    const [taken, released] = ['monitoring', 'web'].map((stack) => objects.find((one) => one.name === 'changed' && one.stack === stack));
    expect(taken?.forcedConflicts.map(({ field, oldValue }) => [field, oldValue])).toEqual([
      ['.data.x', '1'],
      ['.data.y', '1'],
    ]);
    expect([released?.result, released?.released]).toEqual(['released', undefined]);
  });

  test('as planned, and as a saved plan', async () => {
    const made = await moved('planned');
    const plan = await made.project.run(['diff', '-o', 'json', '--output-file', 'plan=plan.json']);
    const planned = eventsOf(plan.events, 'plan').filter(({ name }) => name === 'planned');
    expect(planned.map(({ stack, action }) => [stack, action])).toEqual([
      ['web', 'release'],
      ['monitoring', 'update'],
    ]);
    expect(planned[1]).toMatchObject({ movedFrom: 'web' });
    expect(planned[1]!.adopts).toBeUndefined();
    expect(planned[0]?.fields.map(({ field, change }) => [field, change])).toEqual([
      ['.data.x', 'kept'],
      ['.data.y', 'kept'],
    ]);
    const report = await made.project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(0);
    await expectMoved(made, 'planned');
  });

  test('where the old stack goes on sharing it', async () => {
    const made = await moved('shared-on');
    edit(made.project, {
      web: [kept('shared-on'), share(config('shared-on', { x: '1' }))],
      monitoring: [own(config('shared-on', { y: '1' }))],
    });
    const plan = await made.project.run(['diff', '-o', 'json']);
    expect(eventsOf(plan.events, 'plan').find(({ stack }) => stack === 'monitoring')).toMatchObject({ movedFrom: 'web' });
    const report = await made.project.run(['deploy', '-o', 'json']);
    expect(report.exitCode, report.stderr).toBe(0);
    expect(eventsOf(report.events, 'object').find(({ stack }) => stack === 'monitoring')).toMatchObject({ movedFrom: 'web' });
    expect((await live('shared-on')).data).toEqual({ x: '1', y: '1' });
    const destroyed = await made.project.destroy(['web', 'monitoring']);
    expect(destroyed.exitCode, String(destroyed)).toBe(0);
    expect(await testEnvironment.cluster.find(ref('shared-on'))).toBeUndefined();
  });

  test('declared first and removed later', async () => {
    const made = await moved('later');
    edit(made.project, { web: [kept('later'), own(made.object)], monitoring: [own(made.object)] });
    await deployed(made.project);
    edit(made.project, { web: [kept('later')], monitoring: [own(made.object)] });
    await deployed(made.project);
    await expectMoved(made, 'later');
  });

  test('the new stack alone, then the old one alone, which asks nothing', async () => {
    const made = await moved('apart');
    await deployed(made.project, 'monitoring');
    const report = await made.project.run(['deploy', 'web', '-o', 'json']);
    expect(report.exitCode, report.stderr).toBe(0);
    await expectMoved(made, 'apart');
  });

  test('an object without fields of its own', async () => {
    const made = await moved('bare', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bare', labels: { a: 'b' } } } as never);
    await deployed(made.project, 'monitoring');
    await deployed(made.project, 'web');
    expect((await live('bare')).metadata.uid).toBe(made.uid);
    expect((await made.project.destroy(['monitoring'])).results).toEqual({ [textOf('bare')]: 'deleted' });
  });

  test('where the old stack is destroyed by name', async () => {
    const made = await moved('gone-stack');
    await deployed(made.project, 'monitoring');
    const report = await made.project.destroy(['web']);
    expect(report.results).toEqual({ [textOf('gone-stack')]: 'released', [textOf('gone-stack-kept')]: 'deleted' });
    expect((await live('gone-stack')).data).toEqual({ x: '1', y: '1' });
    expect((await made.project.destroy(['monitoring'])).results).toEqual({ [textOf('gone-stack')]: 'deleted' });
  });

  test('where the old stack left the program and is pruned as a whole', async () => {
    const made = await moved('pruned');
    edit(made.project, { monitoring: [own(made.object)] });
    const refused = await made.project.run(['deploy', '--prune-stacks']);
    expect(refused.exitCode).toBe(2);
    const told = [
      `delete ${textOf('pruned-kept')}`,
      `release ${textOf('pruned')} (stack monitoring owns it now, with the right to delete it)`,
    ];
    expect(refused.stderr).toContain(`which the program does not declare:\n${told.map((line) => `    ${line}\n`).join('')}`);
    await deployed(made.project, '--prune-stacks', '--yes');
    expect(await owners('pruned')).toEqual({ [made.monitoring]: ['.data.x', '.data.y'] });
    expect((await made.project.destroy(['monitoring'])).results).toEqual({ [textOf('pruned')]: 'deleted' });
  });

  test('where all of the old stack moves, pruning it as a whole asks nothing', async () => {
    const made = await moved('pruned-whole');
    edit(made.project, { monitoring: [own(made.object), kept('pruned-whole')] });
    const report = await deployed(made.project, '--prune-stacks');
    expect(report.objects.filter(({ stack }) => stack === 'web').map(({ result }) => result)).toEqual(['released', 'released']);
    expect((await live('pruned-whole')).metadata.uid).toBe(made.uid);
  });
});

test.each([
  { how: 'leaves its stack', stacks: (other: Declared[]) => ({ web: [], monitoring: other }), args: ['deploy'] },
  { how: 'leaves with its stack', stacks: (other: Declared[]) => ({ monitoring: other }), args: ['deploy', '--prune-stacks'] },
])('an object that $how and that another stack shares is not announced as deleted', async ({ how, stacks, args }) => {
  const name = how.replaceAll(' ', '-');
  const project = testEnvironment.program({ web: [own(config(name, { x: '1' }))], monitoring: [share(config(name, { y: '1' }))] });
  await deployed(project);
  edit(project, stacks([share(config(name, { y: '1' }))]));
  const refused = await project.run(args);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`:\n    release ${textOf(name)} (not deleted: `)]);
  expect(refused.stderr).not.toMatch(/delete ConfigMap|objects would be deleted/);
  const report = await project.deploy([...args.slice(1), '--yes']);
  expect(report.objects.find(({ stack }) => stack === 'web')).toMatchObject({ result: 'released' });
  expect((await live(name)).data).toEqual({ y: '1' });
});

test('two stacks that own one object and end together leave nothing', async () => {
  const both = await moved('both');
  edit(both.project, { web: [kept('both'), own(both.object)], monitoring: [own(both.object)] });
  await deployed(both.project);
  const { results } = await both.project.destroy();
  expect(await testEnvironment.cluster.find(ref('both'))).toBeUndefined();
  expect(Object.values(results)).not.toContain('released');

  const pruned = await moved('both-pruned');
  edit(pruned.project, { web: [kept('both-pruned'), own(pruned.object)], monitoring: [own(pruned.object)] });
  await deployed(pruned.project);
  edit(pruned.project, { web: [kept('both-pruned')], monitoring: [] });
  await deployed(pruned.project, '--yes');
  expect(await testEnvironment.cluster.find(ref('both-pruned'))).toBeUndefined();
});

test.each(['deploy', 'destroy'])(
  'a move that is killed after the apply of the new stack, and ended by a %s: nothing stays',
  async (verb) => {
    const name = `cut-${verb}`;
    const { project } = await moved(name);
    edit(project, { web: [kept(name)], monitoring: [own(config(name, { x: '1', y: '1', more: '1' }))] });
    const isMove = ({ method, path }: ProxiedRequest) => method === 'PATCH' && path.endsWith(`/configmaps/${name}`);
    expect(await testEnvironment.killRun((options) => project.run(['deploy', '--yes'], options), isMove)).toBe(true);
    edit(project, { web: [kept(name)], monitoring: [] });
    const report = verb === 'deploy' ? await deployed(project, '--yes') : await project.destroy();
    expect(await testEnvironment.cluster.find(ref(name)), String(report)).toBeUndefined();
  },
);

describe('removed first', () => {
  test('the question names the stack that declares it, and adopt; afterwards it is a new object', async () => {
    const made = await moved('first');
    const plan = await made.project.run(['diff', 'web']);
    expect(plan.stdout).toContain('monitoring');
    expect(plan.stdout).toContain('fieldwise adopt');
    const refused = await made.project.run(['deploy', 'web', '--prune']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/monitoring[\s\S]*fieldwise adopt monitoring --from stack:web/);
    expect((await live('first')).metadata.uid).toBe(made.uid);
    const report = await deployed(made.project, 'web', '--yes');
    expect(report.results[textOf('first')]).toBe('deleted');
    const next = await deployed(made.project, 'monitoring');
    expect(next.results[textOf('first')]).toBe('created');
    expect((await made.project.destroy(['monitoring'])).results).toEqual({ [textOf('first')]: 'deleted' });
  });

  test('where the new stack only shares it, the question says that, and what keeps it', async () => {
    const name = 'waited-for';
    const project = testEnvironment.program({ web: [kept(name), own(config(name, { x: '1' }))], monitoring: [] });
    await deployed(project);
    const { uid } = (await live(name)).metadata;
    edit(project, { web: [kept(name)], monitoring: [share(config(name, { y: '1' }))] });
    const said = `stack monitoring, which is not deployed here, shares ${textOf(name)} and would not find it; to keep it, declare it with \`own\` there and deploy both`;
    expect((await project.run(['diff', 'web'])).stdout).toContain(said);
    const refused = await project.run(['deploy', 'web', '--prune']);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(said)]);
    expect(refused.stderr).not.toContain('as a new object');
    edit(project, { web: [kept(name)], monitoring: [own(config(name, { y: '1' }))] });
    await deployed(project);
    expect((await live(name)).metadata.uid).toBe(uid);
    expect((await project.destroy(['monitoring'])).results).toEqual({ [textOf(name)]: 'deleted' });
  });

  test('the adoption that the question names keeps the object and moves the right to delete', async () => {
    const made = await moved('kept-by-adoption');
    const adopted = await made.project.run(['adopt', 'monitoring', '--from', 'stack:web', '--yes']);
    expect(adopted.exitCode, adopted.stderr).toBe(0);
    await deployed(made.project, 'web'); // asks nothing
    await expectMoved(made, 'kept-by-adoption');
  });

  test('where the new stack does not succeed, the old one keeps its part', async () => {
    const made = await moved('broken');
    await testEnvironment.cluster.apply('them', { ...ref('broken'), data: { z: '1' } });
    const broken = { ...made.object, data: { ...made.object.data, z: '2' } };
    edit(made.project, { web: [kept('broken')], monitoring: [own(broken, { conflicts: 'fail' })] });
    const report = await made.project.deploy(['--yes']);
    expect(report.objects.find(({ stack, name }) => stack === 'web' && name === 'broken')).toMatchObject({
      result: 'skipped',
      reason: expect.stringContaining('monitoring'),
    });
    expect(await owners('broken')).toEqual({ [made.web]: ['.data.x', '.data.y'], them: ['.data.z'] });
    await testEnvironment.cluster.apply('them', ref('broken'));
    edit(made.project, { web: [kept('broken')], monitoring: [own(made.object)] });
    await deployed(made.project);
    await expectMoved(made, 'broken');
  });
});

// Written in this order: both inventories, two applies, both inventories, the release, both inventories.
test.each([2, 4, 6, 7, 8])('killed at write %i of the deploy that moves it: the next run finishes it', async (n) => {
  const name = `killed-${n}`;
  const made = await moved(name);
  await testEnvironment.killRun((options) => made.project.run(['deploy', '--yes'], options), nthWrite(n));
  expect((await live(name)).data).toEqual({ x: '1', y: '1' });
  await deployed(made.project);
  await expectMoved(made, name);
});

test.each([2, 3, 4])('killed at write %i of the old stack’s deploy, after the new one has it', async (n) => {
  const name = `killed-web-${n}`;
  const made = await moved(name);
  await deployed(made.project, 'monitoring');
  await testEnvironment.killRun((options) => made.project.run(['deploy', 'web', '--yes'], options), nthWrite(n));
  expect((await live(name)).data).toEqual({ x: '1', y: '1' });
  await deployed(made.project, 'web');
  await expectMoved(made, name);
});

describe('between apps', () => {
  const twoApps = async (name: string) => {
    const from = testEnvironment.program({ web: [own(config(name, { x: '1' }))] });
    const to = testEnvironment.program({ monitoring: [] });
    await deployed(from);
    await deployed(to);
    const [web, monitoring] = [from.manager('web'), to.manager('monitoring')];
    return { from, to, web, monitoring, uid: (await live(name)).metadata.uid };
  };

  test('transferFrom moves fields and the right to delete', async () => {
    const { from, to, web, monitoring, uid } = await twoApps('apps');
    edit(to, { monitoring: [own(config('apps', { x: '1' }), { transferFrom: { from: web } })] });
    await deployed(to);
    expect(await owners('apps')).toEqual({ [monitoring]: ['.data.x'] });
    edit(from, { web: [] });
    await deployed(from, '--yes');
    expect((await live('apps')).metadata.uid).toBe(uid);
    expect((await to.destroy()).results).toEqual({ [textOf('apps')]: 'deleted' });
  });

  test('a stack that is pruned as a whole is asked about in the same words', async () => {
    const { from, to, monitoring } = await twoApps('whole');
    edit(to, { monitoring: [own(config('whole', { x: '1' }))] });
    await deployed(to);
    edit(from, {});
    const asked = await from.run(['deploy', '--prune-stacks']);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(`release ${textOf('whole')} (not deleted: ${monitoring} still applies fields to it`);
    expect(asked.stderr).toMatch(/transferFrom.*fieldwise adopt/);
  });

  test.each([
    { name: 'labeled', theirs: { metadata: { name: 'labeled', labels: { by: 'monitoring' } } } },
    { name: 'wiped', theirs: { metadata: { name: 'wiped' }, data: { y: '1' } } },
  ])('where a deletion ends the $name object of another app, plan and question name it and adopt', async ({ name, theirs }) => {
    const { from, to, web, monitoring, uid } = await twoApps(name);
    edit(to, { monitoring: [share({ apiVersion: 'v1', kind: 'ConfigMap', ...theirs })] });
    await deployed(to);
    // The inventory still knows it.
    if (name === 'wiped') await testEnvironment.cluster.apply(monitoring, ref(name));
    edit(from, { web: [] });
    const said = `${monitoring} declares it, too, and this deletion deletes it for all; to keep it, declare all of it with \`own\` in its program and run \`fieldwise adopt STACK --from manager:${web}\` there first`;
    expect((await from.run(['diff'])).stdout).toContain(said);
    const asked = await from.run(['deploy']);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(`delete ${textOf(name)} (${said}`);
    edit(to, { monitoring: [own({ ...config(name, { x: '1' }), metadata: theirs.metadata })] });
    expect((await to.run(['adopt', 'monitoring', '--from', `manager:${web}`, '--yes'])).exitCode).toBe(0);
    await deployed(from); // asks nothing
    expect((await live(name)).metadata.uid).toBe(uid);
    expect((await to.destroy()).results).toEqual({ [textOf(name)]: 'deleted' });
  });

  test('the plan of either side of a cut and paste names transferFrom and adopt', async () => {
    const { from, to, web } = await twoApps('pasted');
    edit(to, { monitoring: [own(config('pasted', { x: '1' }))] });
    const pasted = await to.run(['diff']);
    expect(pasted.stdout).toContain(`transferFrom: { from: '${web}' }`);
    expect(pasted.stdout).toContain(`fieldwise adopt monitoring --from manager:${web}`);
    await deployed(to);
    edit(from, { web: [] });
    const cut = await from.run(['diff']);
    expect(cut.stdout).toMatch(/transferFrom.*fieldwise adopt/);
    const asked = await from.run(['deploy']);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toMatch(/nothing of it would be deleted:\n {4}release ConfigMap \S+\/pasted \(.*transferFrom.*fieldwise adopt/);
    expect((await to.run(['adopt', 'monitoring', '--from', `manager:${web}`, '--yes'])).exitCode).toBe(0);
    await deployed(from, '--yes');
    expect((await to.destroy()).results).toEqual({ [textOf('pasted')]: 'deleted' });
  });
});

describe('a run that needs the lock of one stack for two reasons takes it once', () => {
  test('an object of two stacks: one drops it, the other only shares it now, and nobody gets the right to delete it', async () => {
    const name = 'own-then-share';
    const project = testEnvironment.program({ p: [kept(name), own(config(name))], q: [kept(`${name}-q`), own(config(name))] });
    await deployed(project, 'p', '--yes');
    await deployed(project, '--yes');
    const { uid } = (await live(name)).metadata;
    edit(project, { p: [kept(name)], q: [kept(`${name}-q`), share(config(name))] });
    const plan = await project.run(['diff', '-o', 'json']);
    expect(
      eventsOf(plan.events, 'plan').flatMap((event) => (event.name === name ? [[event.stack, event.action, event.reason]] : [])),
    ).toEqual([
      ['p', 'release', expect.stringMatching(/^not deleted: .*\/q still applies fields to it .*then no stack deletes it/)],
      ['q', 'unchanged', undefined],
    ]);
    const report = await deployed(project, '--yes');
    expect(report.objects.filter((object) => object.name === name).map(({ stack, result }) => [stack, result])).toEqual([
      ['q', 'unchanged'],
      ['p', 'released'],
    ]);
    expect((await live(name)).metadata.uid).toBe(uid);
    expect(Object.keys(await owners(name))).toEqual([project.manager('q')]);
    expect((await project.destroy(['q', '--yes'])).results[textOf(name)]).toBe('released');
  });

  test('an object moves to a stack that the run leaves out, and a field comes from it', async () => {
    const [moving, base] = ['both-ways', 'both-ways-base'];
    const intents = { a: own(config(moving)), base: own(config(base, { t: '1' })) };
    const project = testEnvironment.program({ b: [kept(moving), intents.a], a: [intents.base] });
    await deployed(project);
    edit(project, { b: [kept(moving), intents.a], a: [intents.base, intents.a] });
    await deployed(project, '--yes');
    await project.run(['synth']);
    const transferred = share(config(base, { t: '1' }), { transferFrom: { from: project.manager('a'), fields: ['data.t'] } });
    edit(project, { b: [kept(moving), transferred], a: [own(config(base, {})), intents.a] });
    const report = await deployed(project, 'b', '--yes');
    const at = (name: string) => report.objects.find((object) => object.name === name && object.stack === 'b');
    expect(at(moving)).toMatchObject({
      result: 'released',
      reason: expect.stringContaining('stack a owns it now, with the right to delete it'),
    });
    expect(at(base)).toMatchObject({ transferred: { from: project.manager('a'), fields: ['.data.t'] } });
    expect((await project.destroy(['a', '--yes'])).results).toMatchObject({ [textOf(moving)]: 'deleted' });
  });
});
