import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { type ObjectRef, ref } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import type { Project, Report } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('forged');
const { cluster } = testEnvironment;

const { placed } = configMapHelpers(testEnvironment);
const labelOf = (manager: string) => createHash('sha256').update(manager).digest('hex').slice(0, 40);

/** A line as an inventory has it, of an object that somebody else made. */
async function lineOf(object: ObjectRef, more: object = {}): Promise<string> {
  const { metadata } = await cluster.get(object);
  const { apiVersion, kind } = object;
  const place = { apiVersion, kind, ...(metadata.namespace ? { namespace: metadata.namespace } : {}), name: metadata.name };
  return JSON.stringify({
    ...place,
    lifecycle: 'own',
    uid: metadata.uid,
    deletable: true,
    deletePropagation: 'Background',
    wave: 1,
    ...more,
  });
}

/** The ConfigMaps of a stack's inventory. */
async function shardsOf(project: Project, stack = 'main'): Promise<ResponseBody[]> {
  const label = labelOf(project.manager(stack));
  const all = await cluster.list('v1', 'ConfigMap', testEnvironment.namespace);
  return all
    .filter(({ metadata }) => metadata.labels?.['fieldwise.dev/inventory'] === label)
    .map((object) => ({ ...object, apiVersion: 'v1', kind: 'ConfigMap' }));
}

async function shardOf(project: Project): Promise<ResponseBody> {
  const [shard, ...others] = await shardsOf(project);
  expect(others).toEqual([]);
  return shard as ResponseBody;
}

async function append(project: Project, ...lines: readonly string[]): Promise<void> {
  const shard = await shardOf(project);
  await cluster.patch('attacker', shard as ObjectRef, { data: { entries: [shard.data.entries, ...lines].join('\n') } });
}

async function forgeShard(name: string, label: string, data: object): Promise<void> {
  const metadata = { name, namespace: testEnvironment.namespace, labels: { 'fieldwise.dev/inventory': label } };
  await cluster.create('attacker', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as ObjectRef);
}

/** A deployed stack with one object of its own, and somebody's object. */
async function scene(name: string, foreign: ObjectRef = placed(`${name}-foreign`)): Promise<{ project: Project; foreign: ObjectRef }> {
  const project = testEnvironment.program({ main: [own(placed(`${name}-own`)), own(placed(`${name}-kept`))] });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  if ((await cluster.find(foreign)) === undefined) await cluster.create('somebody', foreign);
  return { project, foreign };
}

const codesOf = ({ result }: Report) => eventsOf(result.events, 'warning').map(({ code }) => code);

const ends = {
  destroy: (project: Project) => project.destroy(),
  prune: (project: Project, name: string) => {
    project.write({ 'main.ts': testEnvironment.text({ main: [own(placed(`${name}-kept`))] }) });
    return project.deploy(['--yes']);
  },
} as const;

const rows: readonly (readonly [what: string, forge: (project: Project, foreign: ObjectRef) => Promise<unknown>, warning: string])[] = [
  [
    'a new ConfigMap with the right label and data, and a name of its own',
    async (project, foreign) => {
      const { data } = await shardOf(project);
      await forgeShard('anything', labelOf(project.manager('main')), { ...data, entries: await lineOf(foreign) });
    },
    'inventory-foreign',
  ],
  [
    'a shard more, right in name, label and data',
    async (project, foreign) => {
      const { metadata, data } = await shardOf(project);
      await forgeShard(`${metadata.name}.7`, labelOf(project.manager('main')), { ...data, entries: await lineOf(foreign) });
    },
    'ownership-unproved',
  ],
  ['a line more in the true shard', async (project, foreign) => append(project, await lineOf(foreign)), 'ownership-unproved'],
  [
    'a line that says strategy dynamic',
    async (project, foreign) => append(project, await lineOf(foreign, { strategy: 'dynamic' })),
    'ownership-unproved',
  ],
];

describe.each(Object.keys(ends) as (keyof typeof ends)[])('%s deletes nothing that the stack did not apply', (how) => {
  test.each(rows)('%s', async (what, forge, warning) => {
    const name = `row-${how}-${rows.findIndex(([row]) => row === what)}`;
    const { project, foreign } = await scene(name);
    const before = await cluster.get(foreign);
    await forge(project, foreign);
    const report = await ends[how](project, name);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(warning === 'ownership-unproved' ? ['inventory-edited', warning] : [warning]);
    expect(await cluster.get(foreign)).toEqual(before);
    expect(report.only(`${name}-own`).result).toBe('deleted');
    if (warning === 'ownership-unproved') {
      const reason = 'not deleted: nothing in its managedFields shows that this stack applied it';
      expect(report.only(`${name}-foreign`)).toMatchObject({ result: 'released', reason });
    } else expect(report.objects.map(({ object }) => object)).not.toContain(`ConfigMap ${testEnvironment.namespace}/${name}-foreign`);
    for (const leftover of await cluster.list('v1', 'ConfigMap', testEnvironment.namespace)) {
      const forged = leftover.metadata.name === 'anything' || leftover.metadata.name.endsWith('.7');
      if (forged) await cluster.remove({ ...leftover, apiVersion: 'v1', kind: 'ConfigMap' });
    }
  });

  test('a line without uid, as a killed run leaves it', async () => {
    const name = `pending-${how}`;
    const { project, foreign } = await scene(name);
    await append(project, await lineOf(foreign, { uid: undefined }));
    const report = await ends[how](project, name);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only(`${name}-foreign`)).toMatchObject({
      result: 'absent',
      reason: 'this stack has never applied it; only its inventory forgets it',
    });
    expect(await cluster.find(foreign)).toBeDefined();
  });

  test('lines of a Secret, a Namespace, a definition and an object of another stack', async () => {
    const name = `kinds-${how}`;
    const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-${how}`);
    const definition = crdOf(`${how}.${testEnvironment.app}.example.com`, 'Crate');
    testEnvironment.removeNamespaceLater(namespace.metadata.name);
    testEnvironment.removeCrdLater(definition.metadata.name);
    const secret = testEnvironment.ref('v1', 'Secret', `${name}-secret`);
    for (const object of [namespace, definition, secret]) await cluster.create('somebody', object);
    const another = testEnvironment.program({ other: [own(placed(`${name}-other`))] });
    expect((await another.deploy()).exitCode).toBe(0);
    const { project } = await scene(name);
    const foreign = [namespace, definition as ObjectRef, secret, placed(`${name}-other`)];
    await append(project, ...(await Promise.all(foreign.map((object) => lineOf(object)))));
    const report = await ends[how](project, name);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(['inventory-edited', ...foreign.map(() => 'ownership-unproved')]);
    for (const object of foreign) expect((await cluster.get(object)).metadata.deletionTimestamp).toBeUndefined();
    expect((await another.destroy()).results).toEqual({ [`ConfigMap ${testEnvironment.namespace}/${name}-other`]: 'deleted' });
  });

  test('an inventory restored from a backup: what was created again since is another object', async () => {
    const name = `backup-${how}`;
    const { project } = await scene(name);
    const backup = (await shardOf(project)).data.entries;
    await cluster.remove(placed(`${name}-own`));
    await cluster.create('somebody', placed(`${name}-own`));
    await cluster.patch('restore', (await shardOf(project)) as ObjectRef, { data: { entries: backup } });
    const report = await ends[how](project, name);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only(`${name}-own`).result).toBe('absent');
    expect(await cluster.find(placed(`${name}-own`))).toBeDefined();
  });

  test('an adopted object whose line is made to say that the stack created it, while its applier is there', async () => {
    const name = `adopted-${how}`;
    const adopted = { ...placed(`${name}-own`), data: { theirs: 'here' } };
    await cluster.apply('team', adopted);
    const { project } = await scene(name);
    const shard = await shardOf(project);
    const entries = shard.data.entries.replaceAll('"deletable":false', '"deletable":true');
    expect(entries).not.toBe(shard.data.entries);
    await cluster.patch('attacker', shard as ObjectRef, { data: { entries } });
    const report = await ends[how](project, name);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only(`${name}-own`).result).toBe('released');
    expect((await cluster.get(adopted)).data).toEqual({ theirs: 'here' });
  });
});

describe('--prune-stacks', () => {
  test('a forged stack of the program deletes nothing; one with the manager of others is ignored', async () => {
    const { project, foreign } = await scene('stacks');
    const { data } = await shardOf(project);
    const [app] = project.manager('main').split('/').slice(1);
    const evil = `fieldwise/${app}/default/evil`;
    const nameOf = (stack: string, manager: string) => `${app}.default.${stack}.${labelOf(manager).slice(0, 10)}`;
    await forgeShard(nameOf('evil', evil), labelOf(evil), { ...data, stack: 'evil', manager: evil, entries: await lineOf(foreign) });
    // With a Lease that nobody holds: a run waits for a stack without one.
    await cluster.create('evil', testEnvironment.ref('coordination.k8s.io/v1', 'Lease', nameOf('evil', evil)));
    await cluster.apply('team', placed('stacks-team'));
    const line = await lineOf(placed('stacks-team'));
    await forgeShard(nameOf('worse', 'team'), labelOf('team'), { ...data, stack: 'worse', manager: 'team', entries: line });
    const report = await project.deploy(['--prune-stacks', '--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report).sort()).toEqual(['inventory-foreign', 'ownership-unproved']);
    expect(await cluster.find(foreign)).toBeDefined();
    expect(await cluster.find(placed('stacks-team'))).toBeDefined();
    await cluster.remove(testEnvironment.ref('v1', 'ConfigMap', nameOf('worse', 'team')));
  });
});

test('a line under a place that is not the object’s does not hide the object from the look into its Namespace', async () => {
  const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-inside`);
  testEnvironment.removeNamespaceLater(namespace.metadata.name);
  const project = testEnvironment.program({ main: [own(namespace)] });
  expect((await project.deploy()).exitCode).toBe(0);
  const foreign = { ...ref('v1', 'ConfigMap', 'inside', namespace.metadata.name), data: { theirs: 'here' } };
  await cluster.create('somebody', foreign);
  await append(project, await lineOf(foreign, { namespace: testEnvironment.namespace, wave: 0 }));
  const report = await project.destroy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only('Namespace')).toMatchObject({ result: 'released', reason: expect.stringContaining('ConfigMap') });
  expect((await cluster.get(namespace)).metadata.deletionTimestamp).toBeUndefined();
});

test('a forged inventory hides no orphan, and doctor names it', async () => {
  const { project } = await scene('orphan');
  const shard = await shardOf(project);
  await cluster.remove(shard as ObjectRef);
  await forgeShard('hides', labelOf(project.manager('main')), shard.data);
  const { stdout, stderr } = await project.run(['doctor', '--find-orphans']);
  expect(stdout).toContain(`orphan ConfigMap ${testEnvironment.namespace}/orphan-own`);
  expect(stderr).toContain(`ConfigMap ${testEnvironment.namespace}/hides has the label of an inventory and is ignored`);
  await cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'hides'));
});

describe('entries that somebody edited', () => {
  const edits: readonly (readonly [what: string, (entries: string) => string])[] = [
    ['emptied', () => ''],
    ['an entry removed', (entries) => entries.split('\n').slice(1).join('\n')],
  ];

  test.each(edits)('%s: each command says so, and what the repair is', async (what, edit) => {
    const name = `edited-${edits.findIndex(([one]) => one === what)}`;
    const { project } = await scene(name);
    const shard = await shardOf(project);
    const left = edit(shard.data.entries);
    const lost = [`${name}-own`, `${name}-kept`].filter((one) => !left.includes(one));
    await cluster.patch('kubectl-edit', shard as ObjectRef, { data: { entries: left } });
    const told = `The entries of the inventory of stack main are not as a run wrote them: ConfigMap ${shard.metadata.name}, last by kubectl-edit (Update) at 2`;
    const reads = [['status'], ['drift'], ['diff'], ['list'], ['doctor']];
    const run = async (args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await project.run(args);
      return { exitCode, text: (stdout + stderr).replaceAll(/\s+/g, ' ') };
    };
    for (const args of reads) {
      const { exitCode, text } = await run(args);
      expect([args[0], exitCode, text]).toEqual([args[0], args[0] === 'doctor' ? 4 : 0, expect.stringContaining(told)]);
      if (['status', 'diff'].includes(args[0] ?? '')) expect(text).toContain('although the stack has applied');
    }
    const unknown = 'existed before: its inventory did not list it, so whether this stack created it is not known';
    expect((await run(['diff'])).text).toContain(unknown);
    const deployed = await project.deploy();
    expect(codesOf(deployed)).toEqual(['inventory-edited', 'inventory-incomplete']);
    for (const one of lost) expect(deployed.only(one)).toMatchObject({ result: 'unchanged', adopted: { owners: [], unlisted: true } });
    expect((await project.run(['status'])).stderr).toBe('');
    expect((await project.run(['doctor'])).stdout).not.toContain('FAILED inventory');
    const again = await project.deploy();
    expect([codesOf(again), again.objects.filter(({ adopted }) => adopted)]).toEqual([[], []]);

    expect((await project.run(['adopt', 'main', '--with-deletion', '--yes'])).exitCode).toBe(0);
    const destroyed = await project.destroy();
    expect(destroyed.objects.map(({ result }) => result)).toEqual(['deleted', 'deleted']);
  });

  test('without the right to delete, what was lost is only released', async () => {
    const { project } = await scene('edited-kept');
    await cluster.patch('kubectl-edit', (await shardOf(project)) as ObjectRef, { data: { entries: '' } });
    expect((await project.deploy()).exitCode).toBe(0);
    expect((await project.destroy()).objects.map(({ result }) => result)).toEqual(['released', 'released']);
  });

  test('a destroy says so, too', async () => {
    const { project } = await scene('edited-destroy');
    const shard = await shardOf(project);
    const [first = ''] = shard.data.entries.split('\n');
    await cluster.patch('kubectl-edit', shard as ObjectRef, { data: { entries: first } });
    const destroyed = await project.destroy();
    expect([codesOf(destroyed), destroyed.objects]).toMatchObject([['inventory-edited'], [{ result: 'deleted' }]]);
  });

  test('a record of an earlier version, without a digest, is not called edited, and an unchanged deploy does not write it', async () => {
    const { project } = await scene('edited-old');
    await cluster.patch('somebody', (await shardOf(project)) as ObjectRef, { data: { digest: null } });
    const { resourceVersion } = (await shardOf(project)).metadata;
    const report = await project.deploy();
    expect([codesOf(report), (await shardOf(project)).metadata.resourceVersion]).toEqual([[], resourceVersion]);
  });
});

describe('the format of an inventory', () => {
  const withFormat = async (name: string, format: string) => {
    const { project } = await scene(name);
    await cluster.patch('somebody', (await shardOf(project)) as never, { data: { format } });
    const { app } = await shardOf(project).then(({ data }) => data);
    const listed = await project.run(['list']);
    return { project, row: listed.stdout.split('\n').find((line) => line.includes(`${app}/`)), listed };
  };

  test('of a later version: the stack is refused, and listed as that, which is no damage', async () => {
    const { project, row, listed } = await withFormat('later', '2 7.0.0');
    expect([listed.exitCode, listed.stderr, row]).toEqual([0, '', expect.stringMatching(/ 2 .*\/main \(of a later version\)$/)]);
    const events = (await project.run(['list', '-o', 'json'])).events.filter(({ manager }) => manager === project.manager('main'));
    expect(events).toMatchObject([{ owned: 2, laterVersion: expect.stringContaining('records have format 2') }]);
    const told = await project.run(['destroy', '--yes']);
    expect(told.stdout).toContain('not done: nothing was changed');
    const destroyed = await project.destroy();
    expect([destroyed.exitCode, destroyed.summary.errors]).toMatchObject([
      4,
      [{ code: 'records-of-later-version', next: expect.stringContaining('Use Fieldwise 7.0.0') }],
    ]);
  });

  test.each(['foo', '', '-1', '1e3', '1.5 0.0.0', 'NaN'])('"%s" is damage, and not the first format', async (format) => {
    const { project, row, listed } = await withFormat(`format-${Buffer.from(format).toString('hex')}`, format);
    expect([listed.exitCode, row]).toEqual([4, expect.stringContaining('(damaged)')]);
    expect((await project.run(['list', '--output-file', 'html=stacks.html'])).exitCode).toBe(4);
    expect(project.read('stacks.html')).toMatch(/\/main \(damaged\)<.*<li>[^<]*a format that no version writes/);
    const destroyed = await project.destroy();
    expect([destroyed.exitCode, destroyed.summary.errors]).toMatchObject([
      4,
      [{ code: 'inventory-damaged', message: expect.stringContaining('a format that no version writes') }],
    ]);
    await cluster.patch('somebody', (await shardOf(project)) as never, { data: { format: null } });
    expect((await project.destroy()).exitCode).toBe(0);
  });
});

test.each(['..', '.', 'a/b', 'a%2fb'])('an entry with the name %s is damage', async (name) => {
  const { project } = await scene(`name-${Buffer.from(name).toString('hex')}`);
  await append(
    project,
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', namespace: testEnvironment.namespace, name, lifecycle: 'own' }),
  );
  const destroyed = await project.destroy();
  expect(destroyed.exitCode).toBe(4);
  expect(destroyed.summary.errors).toMatchObject([
    { code: 'inventory-damaged', message: expect.stringContaining('an entry with a name that no object can have') },
  ]);
});

test('a damaged inventory stops its own stack and no other', async () => {
  const { project } = await scene('damaged');
  const { project: other } = await scene('sound');
  await append(project, 'no entry');
  const destroyed = await project.destroy();
  expect(destroyed.exitCode).toBe(4);
  expect(destroyed.summary.errors).toMatchObject([{ code: 'inventory-damaged' }]);
  expect(await cluster.find(placed('damaged-own'))).toBeDefined();
  expect((await other.destroy()).exitCode).toBe(0);
});

describe('a record whose data names another stack than its name', () => {
  const quoted = /`(kubectl patch [^`]*)`/;

  test.each(['app', 'instance', 'stack', 'manager'])('data.%s', async (key) => {
    const name = `misnamed-${key}`;
    const { project } = await scene(name);
    project.write({ 'main.ts': testEnvironment.text({ main: [own(placed(`${name}-kept`))] }) });
    const shard = await shardOf(project);
    await cluster.patch('somebody', shard as ObjectRef, { data: { [key]: 'renamed' } });
    const where = `ConfigMap ${testEnvironment.namespace}/${shard.metadata.name}`;
    const told = `The inventory in ${where} has another stack in its data than in its name: data.${key} is "renamed"`;
    for (const args of [['status'], ['diff'], ['deploy', '--yes'], ['destroy', '--yes'], ['destroy', 'main', '--yes']]) {
      const { exitCode, stdout, stderr } = await project.run(args);
      const text = (stdout + stderr).replaceAll(/\s+/g, ' ');
      expect([exitCode, text], args.join(' ')).toEqual([4, expect.stringContaining(told)]);
      expect(text).not.toContain('Another run');
    }
    const destroyed = await project.destroy();
    expect(destroyed.summary.errors).toMatchObject([{ code: 'inventory-damaged', message: told }]);
    expect(await cluster.find(placed(`${name}-own`))).toBeDefined();

    const [, command = ''] = quoted.exec(destroyed.summary.errors?.[0]?.next ?? '') ?? [];
    const [, patch = ''] = /^kubectl patch configmap \S+ -n \S+ --type=merge -p '(.*)'$/.exec(command) ?? [];
    await cluster.patch('somebody', shard as ObjectRef, JSON.parse(patch));
    expect((await project.destroy()).results).toMatchObject({ [`ConfigMap ${testEnvironment.namespace}/${name}-own`]: 'deleted' });
  });

  test('of a stack that the program does not declare', async () => {
    const { project } = await scene('misnamed-undeclared');
    await cluster.patch('somebody', (await shardOf(project)) as ObjectRef, { data: { stack: 'renamed' } });
    project.write({ 'main.ts': testEnvironment.text({ another: [own(placed('misnamed-another'))] }) });
    const { exitCode, stderr } = await project.run(['destroy', 'main', '--yes']);
    expect([exitCode, stderr.replaceAll(/\s+/g, ' ')]).toEqual([4, expect.stringContaining('data.stack is "renamed"')]);
  });

  test('one of the later ConfigMaps of a record', async () => {
    const { project, foreign } = await scene('misnamed-later');
    const { metadata, data } = await shardOf(project);
    const entries = await lineOf(foreign);
    await forgeShard(`${metadata.name}.7`, labelOf(project.manager('main')), { ...data, stack: 'other', entries });
    const destroyed = await project.destroy();
    expect([destroyed.exitCode, destroyed.summary.errors]).toMatchObject([4, [{ code: 'inventory-damaged' }]]);
    expect(await cluster.find(foreign)).toBeDefined();
    expect(await cluster.find(placed('misnamed-later-own'))).toBeDefined();
  });
});
