import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('questions');
const { ref, config, edit } = configMapHelpers(testEnvironment);
const { cluster } = testEnvironment;

test('an object that was never created leaves the program without a question', async () => {
  const kept = own(config('kept', { a: '1' }));
  const invalid = own({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'never' }, spec: { ports: [{ port: 99999 }] } });
  const project = testEnvironment.program({ web: [kept, invalid] });
  expect((await project.run(['deploy', '--yes'])).exitCode).toBe(4);
  edit(project, { web: [kept] });
  const report = await project.run(['deploy', '-o', 'json']);
  expect(report.exitCode, report.stderr).toBe(0);
  expect(eventsOf(report.events, 'object').find(({ name }) => name === 'never')).toMatchObject({
    result: 'absent',
    reason: 'this stack has never applied it; only its inventory forgets it',
  });
});

test('a question counts as deletions what it lists as deletions', async () => {
  await cluster.create('somebody', { ...ref('older'), data: { a: '1' } });
  const project = testEnvironment.program({ web: [own(config('older', { a: '1' })), own(config('newer', { a: '1' }))] });
  await deployed(project);
  edit(project, { web: [] });
  const refused = await project.run(['deploy']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('1 of its 2 owned objects would be deleted');
  expect(refused.stderr).toContain(`release ConfigMap ${testEnvironment.namespace}/older`);
  expect(refused.stderr).toContain(`delete ConfigMap ${testEnvironment.namespace}/newer`);
});

test.each([{ policy: {} }, { policy: { ifPresent: 'ask' } }, { policy: { transferFrom: { from: 'helm' } } }])(
  'an object that was shared and is owned from now on: the question names what the plan counts as taken ($policy)',
  async ({ policy }) => {
    const name = `taken-over${Object.keys(policy).join('').toLowerCase()}`;
    await cluster.apply('helm', { ...ref(name), data: { k: '1', left: '1' } });
    await cluster.apply('other', { ...ref(name), data: { a: 'theirs' } });
    const project = testEnvironment.program({ web: [share(config(name, { k: '1' }))] });
    await deployed(project);
    edit(project, { web: [own(config(name, { k: '1', a: 'ours' }), policy as never)] });
    const { events } = await project.run(['diff', '-o', 'json']);
    expect(eventsOf(events, 'plan-summary')[0]).toMatchObject({ forcedConflicts: 1, forcedConflictsByOwner: { other: 1 } });
    const [planned] = eventsOf(events, 'plan');
    expect(planned?.reason).toContain('asks whether to force fields of others, because the stack deploys or owns it for the first time');
    const refused = await project.run(['deploy']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`ConfigMap ${testEnvironment.namespace}/${name} .data.a of other\n`),
    ]);
    await deployed(project, '--yes');
    edit(project, { web: [own(config(name, { k: '1', a: 'newer' }), policy as never)] });
    await cluster.apply('other', { ...ref(name), data: { a: 'again' } }, { force: true });
    await deployed(project); // owned before: forced without a question, and reported
  },
);

describe('a refusal', () => {
  test('tells all that needs a yes, so that one more run is enough', async () => {
    await cluster.create('somebody', { ...ref('met'), data: { a: 'theirs' } });
    const kept = own(config('all-kept', { a: '1' }));
    const project = testEnvironment.program({
      web: [kept, own(config('all-gone', { a: '1' }))],
      old: [own(config('all-old', { a: '1' }))],
    });
    await deployed(project);
    edit(project, { web: [kept, own(config('met', { a: 'ours' }))] });
    const { exitCode, stderr, events } = await project.run(['deploy', '--prune-stacks', '-o', 'json']);
    expect(exitCode).toBe(2);
    const at = (name: string) => `ConfigMap ${testEnvironment.namespace}/${name}`;
    const texts = [
      'error: Nothing was changed: confirmation required:',
      '  these stacks deploy or own these objects for the first time, and would force fields of others:',
      `    ${at('met')} .data.a of somebody (Update)`,
      '  stack web no longer declares 1 object; 1 of its 2 owned objects would be deleted:',
      `    delete ${at('all-gone')}`,
      '  destroy stack old, which the program does not declare:',
      `    delete ${at('all-old')}`,
      '  Run again with --yes (library: `yes: true`), or at a terminal to be asked (library: `confirm`). [confirmation-needed]',
    ];
    expect(stderr).toBe(`${texts.join('\n')}\n`);
    expect(eventsOf(events, 'refused')).toHaveLength(1);
    const report = await deployed(project, '--prune-stacks', '--yes');
    expect(report.results).toMatchObject({ [at('all-gone')]: 'deleted', [at('all-old')]: 'deleted' });
  });

  test('names --prune where that is enough, and says why it is not where it was given', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => own(config(`prune-${name}`, { a: '1' }))) as [
      Declared,
      Declared,
      Declared,
    ];
    const project = testEnvironment.program({ web: [one, two, three] });
    await deployed(project);
    edit(project, { web: [one, two] });
    expect((await project.run(['deploy'])).stderr).toContain(
      'Run again with --yes (library: `yes: true`), with --prune (library: `prune: true`), which confirms nothing else, or at a terminal',
    );
    edit(project, { web: [one] });
    const most = await project.run(['deploy', '--prune']);
    expect(most.exitCode).toBe(2);
    expect(most.stderr).toContain(
      '2 of its 3 owned objects would be deleted; --prune does not confirm this, because more than half of its owned objects would be removed:\n    delete',
    );
    expect(most.stderr).toContain('Run again with --yes (library: `yes: true`), or at a terminal');
    edit(project, { web: [one, two] });
    await deployed(project, '--prune');
  });
});

test('a refused plan says why first and once', async () => {
  const project = testEnvironment.program({ web: [own(config('planned', { a: '1' })), own(config('other', { a: '1' }))] });
  await deployed(project);
  edit(project, { web: [own(config('planned', { a: '2' })), own(config('other', { a: '1' }))] });
  await project.run(['diff', '--output-file', 'plan=plan.json']);
  await cluster.patch('somebody', ref('planned'), { data: { a: '3' } });
  const { exitCode, stdout, stderr } = await project.run(['deploy', '--plan', 'plan.json']);
  expect(exitCode).toBe(4);
  expect(stderr.match(/not as it was when the plan was made/g)).toHaveLength(1);
  expect(stderr).toContain('[plan-outdated]');
  expect(stdout).toMatch(/\nnot done: .*\n$/);
  expect(stdout).not.toContain('not as it was when the plan was made');
});

test('a CustomResourceDefinition that is established is not waited for', async () => {
  const group = `${testEnvironment.namespace}.example.com`;
  const crd = parse(testEnvironment.example('operator', (text) => text.replaceAll('shop.example.com', group)).read('crd.yaml'));
  testEnvironment.removeCrdLater(crd.metadata.name);
  const project = testEnvironment.program({ kinds: [own(crd)] });
  await deployed(project);
  await deployed(project);
  const proxy = await testEnvironment.proxy();
  const asked: string[] = [];
  proxy.onResponse = ({ method, path }) => {
    if (path.includes('/customresourcedefinitions/')) asked.push(method);
  };
  const report = await project.run(['deploy', '-o', 'json'], { kubeconfig: proxy.kubeconfig });
  expect(report.exitCode, report.stderr).toBe(0);
  expect(eventsOf(report.events, 'waiting')).toEqual([]);
  expect(asked).toEqual(['PATCH']);
  expect((await project.destroy()).only().result).toBe('deleted');
});

describe('a stack renamed without renamedFrom', () => {
  const warnings = (events: readonly ResponseBody[]) => eventsOf(events, 'warning');

  test('is named at plan and deploy, with both ways out, and renamedFrom is one', async () => {
    const project = testEnvironment.program({ before: [own(config('renamed', { a: '1' }))] });
    await deployed(project);
    edit(project, { after: [own(config('renamed', { a: '1' }))] });
    const expected = {
      code: 'stack-left-behind',
      message: expect.stringContaining('Stack before'),
      next: expect.stringMatching(/renamedFrom: 'before'.*`fieldwise destroy before` destroys it.*--prune-stacks/),
    };
    expect(warnings((await project.run(['diff', '-o', 'json'])).events)).toMatchObject([expected]);
    expect(warnings((await project.run(['deploy', '-o', 'json'])).events)).toMatchObject([expected]);
    project.write({
      'main.ts': testEnvironment
        .text({ after: [own(config('renamed', { a: '1' }))] })
        .replace('"after")', '"after", { renamedFrom: "before" })'),
    });
    const healed = await project.run(['deploy', '-o', 'json']);
    expect(healed.exitCode, healed.stderr).toBe(0);
    expect(warnings(healed.events)).toEqual([]);
    expect((await project.destroy()).only().result).toBe('deleted');
  });

  test('a share of the same fields is named too, a share of an object that another stack owns or shares is not', async () => {
    const shared = (labels: Record<string, string>) => share({ ...config('common', {}), metadata: { name: 'common', labels } });
    const project = testEnvironment.program({});
    project.write({ 'fieldwise.yaml': "app: main.ts\nindependent: ['platform', 'review-*']\n" });
    const warned = async (stacks: Record<string, Declared[]>) => {
      edit(project, stacks);
      const { events, exitCode, stderr } = await project.run(['deploy', '-o', 'json']);
      expect(exitCode, stderr).toBe(0);
      return warnings(events);
    };
    expect(await warned({ platform: [own(config('common', { a: '1' }))] })).toEqual([]);
    expect(await warned({ 'review-1': [shared({ one: 'yes' })] })).toEqual([]);
    expect(await warned({ 'review-2': [shared({ two: 'yes' })] })).toEqual([]);
    expect(await warned({ 'review-3': [shared({ two: 'yes' })] })).toMatchObject([
      { code: 'stack-left-behind', message: expect.stringMatching(/Stack review-2, which .* applies fields to ConfigMap .*common, which/) },
    ]);
  });

  test('a stack that shares with one of another app is not', async () => {
    await deployed(testEnvironment.program({ theirs: [own(config('foreign', { a: '1' }))] }));
    const { events } = await testEnvironment.program({ ours: [share(config('foreign', { b: '1' }))] }).run(['deploy', '-o', 'json']);
    expect(warnings(events)).toEqual([]);
  });
});

describe('what kubectl made and cannot be released', () => {
  const selector = { matchLabels: { app: 'web' } };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  const made = async (name: string) => {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { selector, template } };
    await cluster.create('kubectl-client-side-apply', { ...object, metadata: { name, namespace: testEnvironment.namespace } });
    const project = testEnvironment.program({ web: [own(object)] });
    await deployed(project);
    return { project, found: () => cluster.find(testEnvironment.ref('apps/v1', 'Deployment', name)) };
  };

  test('destroy names adopt; with its life adopted, destroy deletes it; undone, it does not', async () => {
    const { project, found } = await made('adopted');
    expect((await project.run(['adopt', '--yes'])).exitCode).toBe(0);
    const stuck = await project.destroy();
    expect(stuck.only().error).toMatchObject({
      code: 'release-rejected',
      next: expect.stringContaining('`deleteExisting: true`'),
    });
    const object = `Deployment ${testEnvironment.namespace}/adopted`;
    const offer = await project.run(['adopt', '--yes']);
    expect(offer.stdout).toContain(
      `its stack will release it and not delete it, unless you pass --with-deletion: ${object}\nnothing to adopt\n`,
    );
    const taken = await project.run(['adopt', '--yes', '--with-deletion', '--output-file', 'record=record.json']);
    expect(taken.exitCode, taken.stderr).toBe(0);
    expect(taken.stdout).toContain(`its stack now has the right to delete it: ${object}\nthe right to delete 1 object adopted\n`);
    const undone = await project.run(['adopt', '--undo', 'record.json']);
    expect(undone.stdout).toBe(`undone ${object}\n  its stack loses the right to delete it\n`);
    expect((await project.run(['adopt', '--undo', 'record.json'])).stdout).toBe(`unchanged ${object}\n`);
    expect((await project.destroy()).only().error?.code).toBe('release-rejected');
    expect((await project.run(['adopt', '--yes', '--with-deletion'])).exitCode).toBe(0);
    expect((await project.destroy()).only().result).toBe('deleted');
    expect(await found()).toBeUndefined();
  });

  const next =
    'To delete it, run `fieldwise adopt --with-deletion` while the program declares it, or declare it with the policy `deleteExisting: true` and deploy; ' +
    'then remove it or destroy again. To leave it as it is, declare it with `retain: true` and deploy first, or destroy all of ' +
    'stack web with `fieldwise destroy web --retain-rejected`.';
  const message =
    'This stack did not create the object, so it is released and not deleted. The server does not accept the object without the fields of ' +
    'this stack: .spec.selector: Required value; .spec.template.spec.containers[0].image: Required value';

  test.each([
    { policy: 'deleteExisting', result: 'deleted', stays: false },
    { policy: 'retain', result: 'retained', stays: true },
  ])('plan and deploy say one reason and the same ways out, of which $policy: true works', async ({ policy, result, stays }) => {
    const { project, found } = await made(`policy-${result}`);
    await project.run(['adopt', '--yes']);
    const program = project.read('main.ts');
    edit(project, { web: [own(config(`${result}-beside`, {}))] });
    for (const args of [[], ['--read-only']]) {
      const { events } = await project.run(['diff', '-o', 'json', ...args]);
      const planned = eventsOf(events, 'plan').find(({ kind }) => kind === 'Deployment');
      expect(planned).toMatchObject({ action: 'blocked', error: { code: 'release-rejected', message, next } });
      expect(planned!.reason).toBeUndefined();
    }
    const text = (await project.run(['diff'])).stdout;
    expect(text).toContain(`    ${message}. ${next} [release-rejected]\n`);
    expect(text).not.toContain('field-immutable');
    const report = await project.deploy(['--yes']);
    expect(report.only('Deployment').error).toMatchObject({ code: 'release-rejected', message, next });
    const { stdout } = await project.run(['deploy', '--yes']);
    expect(stdout).toContain('    rejected .spec.selector: {"matchLabels":{"app":"web"}} cannot be removed (Required value)\n');
    expect(stdout).not.toContain('released .spec');

    project.write({ 'main.ts': program.replace(/\);\n$/, `, { ${policy}: true });\n`) });
    await deployed(project, '--yes');
    edit(project, { web: [own(config(`${result}-beside`, {}))] });
    expect((await deployed(project, '--yes')).only('Deployment').result).toBe(result);
    expect((await found()) !== undefined).toBe(stays);
  });

  test('the questions of deploy and destroy say so before anybody agrees, and the flag that helps', async () => {
    const { project } = await made('asked');
    await project.run(['adopt', '--yes']);
    const fails = `fail to remove Deployment ${testEnvironment.namespace}/asked (${message}. ${next.replace(/\.$/, '')})`;
    expect((await project.run(['destroy'])).stderr).toContain(fails);
    const retained = await project.run(['destroy', '--retain-rejected']);
    expect(retained.stderr).toContain(
      `forget Deployment ${testEnvironment.namespace}/asked (it would be invalid without the fields of this stack)`,
    );
    edit(project, { web: [own(config('asked-beside', {}))] });
    expect((await project.run(['deploy'])).stderr).toContain(fails);
  });

  test.each([
    { lifecycle: 'own', declare: own },
    { lifecycle: 'share', declare: (object: object) => share(object, { ifAbsent: 'create' }) },
  ])('--prune-stacks, $lifecycle: the way out that it names ends that stack, and no declared one', async ({ lifecycle, declare }) => {
    const name = `undeclared-${lifecycle}`;
    const object = { ...testEnvironment.ref('apps/v1', 'Deployment', name), spec: { selector, template } };
    if (lifecycle === 'own') await cluster.create('kubectl-client-side-apply', object);
    const beside = own(config(`${name}-beside`, { a: '1' }));
    const project = testEnvironment.program({ main: [beside], web: [declare(object)] });
    await deployed(project);
    if (lifecycle === 'own') expect((await project.run(['adopt', 'web', '--yes'])).exitCode).toBe(0);
    edit(project, { main: [beside] });
    const refused = await project.run(['deploy', '--prune-stacks']);
    expect(refused.stderr).toContain(`does not declare:\n    fail to remove Deployment ${testEnvironment.namespace}/${name} (`);
    const failed = await project.deploy(['--prune-stacks', '--yes']);
    expect(failed.exitCode).toBe(4);
    const { result, error } = failed.only('Deployment');
    expect({ result, code: error?.code }).toEqual({ result: 'failed', code: 'release-rejected' });
    const [, command = ''] = /destroy all of stack web with `fieldwise ([^`]+)`/.exec(error?.next ?? '') ?? [];
    const report = await project.run([...command.split(' '), '--yes', '-o', 'json']);
    expect(report.exitCode, report.stderr).toBe(0);
    expect(eventsOf(report.events, 'object')).toMatchObject([{ name, stack: 'web', result: 'retained' }]);
    expect(await cluster.find(object)).toBeDefined();
    expect((await cluster.get(ref(`${name}-beside`))).data).toEqual({ a: '1' });
    const { stdout } = await project.run(['list']);
    expect(stdout).toContain(project.manager('main').replace('fieldwise/', ''));
    expect(stdout).not.toContain(project.manager('main').replace('/main', '/web'));
  });

  test('what it may need is kept, for a reason that says so', async () => {
    const { project } = await made('needs');
    await project.run(['adopt', '--yes']);
    const program = project.read('main.ts');
    project.write({ 'main.ts': program.replace(/(stack_web\.own)/, `stack_web.own(${JSON.stringify(config('needed', {}))});\n$1`) });
    await deployed(project);
    const { stdout } = await project.run(['destroy', '--yes']);
    const deployment = `Deployment ${testEnvironment.namespace}/needs`;
    expect(stdout).toContain(
      `ConfigMap ${testEnvironment.namespace}/needed  [web]  ${deployment} may need it and was not removed; run again when its error is fixed\n`,
    );
  });

  test('--retain-rejected ends a stack without the object, which stays as it is', async () => {
    const { project, found } = await made('retained');
    await project.run(['adopt', '--yes']);
    const before = await found();
    const report = await project.destroy(['--retain-rejected']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().result).toBe('retained');
    expect((await found()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect((await project.run(['list'])).stdout).not.toContain(project.manager('web'));
  });
});
