import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { historyName, historySecret, slotName } from '../../src/engine/history/history-secrets.js';
import { shardName } from '../../src/engine/inventory/stack-identity.js';
import type { ListedRevision } from '../../src/inspect/history/history.js';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('unknown');
const { cluster } = testEnvironment;
const { config, edit } = configMapHelpers(testEnvironment);
const secret = (name: string) => testEnvironment.ref('v1', 'Secret', name);
const listOf = (project: Project) => historyName(project.manager('main'));

function projectOf(name: string): Project {
  const project = testEnvironment.program({ main: [own(config(name, { a: '1' }))] });
  project.write({ 'fieldwise.yaml': 'app: main.ts\n' });
  return project;
}

async function declared(project: Project, name: string, a: string) {
  edit(project, { main: [own(config(name, { a }))] });
  return deployed(project);
}

const identityOf = (project: Project) => {
  const manager = project.manager('main');
  const [, app = '', instance = '', stack = ''] = manager.split('/');
  return { app, instance, stack, manager };
};
const inventoryOf = (project: Project) => testEnvironment.ref('v1', 'ConfigMap', shardName(identityOf(project), 0));
const codesOf = (report: { readonly result: { readonly events: readonly ResponseBody[] } }) =>
  report.result.events.filter(({ event }) => event === 'warning').map(({ code }) => code);
const evil = (project: Project) => `${project.manager('main').split('/')[1]}-evil`;

/** A list with one revision, which declares rights for everybody, and its part, as somebody makes them who knows the format. */
async function forge(project: Project, list = listOf(project)): Promise<void> {
  const identity = identityOf(project);
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: evil(project) }, rules: [] };
  const policy = { conflicts: 'force', fields: {}, adopt: false, ifAbsent: 'create', deletePropagation: 'Background', wait: false };
  const sample = JSON.parse(JSON.stringify(await storedBody(projectOf('sample'))));
  const [intent] = sample.stack.intents;
  const stack = { ...sample.stack, name: identity.stack, manager: identity.manager };
  stack.intents = [
    { ...intent, apiVersion: role.apiVersion, kind: role.kind, name: role.metadata.name, policy: { ...intent.policy, ...policy } },
  ];
  delete stack.intents[0].namespace;
  const body = gzipSync(JSON.stringify({ ...sample, app: identity.app, instance: identity.instance, stack, objects: [role] }));
  const sha256 = createHash('sha256').update(body).digest('hex');
  const revision = { revision: 1, at: '2026-01-01T00:00:00Z', digest: sha256, result: 'succeeded', counts: { created: 1 } };
  const content = JSON.stringify({ fieldwise: 1, revisions: [{ ...revision, body: { slots: [0], bytes: body.length, sha256 } }] });
  const { namespace } = testEnvironment;
  await cluster.create('mallory', historySecret(identity, namespace, slotName(list, 0), 'part', body) as never);
  await cluster.create('mallory', historySecret(identity, namespace, list, 'revisions', Buffer.from(content)) as never);
}

async function storedBody(project: Project): Promise<ResponseBody> {
  const { gunzipSync } = await import('node:zlib');
  await deployed(project);
  const part = await cluster.get(secret(slotName(listOf(project), 0)));
  await project.destroy();
  return JSON.parse(gunzipSync(Buffer.from(part.data.part, 'base64')).toString());
}

async function revisions(project: Project): Promise<ListedRevision[]> {
  const { events, exitCode, stderr } = await project.run(['history', '-o', 'json']);
  expect(exitCode, stderr).toBe(0);
  return events.filter(({ event }) => event === 'revision') as unknown as ListedRevision[];
}

type Act = (project: Project) => Promise<unknown>;
const decoded = (live: ResponseBody) => JSON.parse(Buffer.from(live.data.revisions, 'base64').toString());

const edited: Act = async (project) => {
  const live = await cluster.get(secret(listOf(project)));
  const content = decoded(live);
  content.revisions[0].by = 'somebody else';
  await cluster.patch('mallory', live as never, { data: { revisions: Buffer.from(JSON.stringify(content)).toString('base64') } });
};
const replayed: Act = async (project) => {
  const live = await cluster.get(secret(listOf(project)));
  const content = decoded(live);
  content.revisions.pop(); // as the list was before the last deploy
  content.revisions.pop();
  await cluster.patch('mallory', live as never, { data: { revisions: Buffer.from(JSON.stringify(content)).toString('base64') } });
};
const foreign: Act = async (project) => {
  const live = await cluster.get(secret(listOf(project)));
  await cluster.patch('mallory', live as never, { data: { owner: Buffer.from('{"app":"theirs"}').toString('base64') } });
};
const unvouched: Act = async (project) =>
  cluster.patch('an earlier version', (await cluster.get(inventoryOf(project))) as never, { data: { history: null } });

describe('a list of which the inventory knows nothing is not used and not written over, and the next name is used', () => {
  test.each<[string, Act]>([
    ['edited', edited],
    ['replayed', replayed],
    ['foreign', foreign],
    ['restored', restored],
    ['unvouched', unvouched],
  ])('%s', async (what, act) => {
    const project = projectOf(what);
    for (const a of ['1', '2', '3']) await declared(project, what, a);
    await act(project);
    const before = await cluster.get(secret(listOf(project)));
    const parts = await Promise.all([0, 1, 2].map((slot) => cluster.get(secret(slotName(listOf(project), slot)))));
    const report = await declared(project, what, '4');
    expect(codesOf(report)).toEqual(['history-unknown']);
    const message: string = report.result.events.find(({ code }) => code === 'history-unknown')?.message;
    expect(message).toContain(`begins another list, ${listOf(project)}-2`);
    expect(await cluster.get(secret(listOf(project)))).toEqual(before);
    expect(await Promise.all(parts.map((part) => cluster.get(part as never)))).toEqual(parts);
    const shown = await revisions(project);
    expect(shown.filter(({ unknown }) => unknown === undefined)).toMatchObject([{ revision: 1, current: true, stored: true }]);
    expect(shown.filter(({ unknown }) => unknown !== undefined).every(({ current }) => !current)).toBe(true);
    expect(codesOf(await declared(project, what, '5')), 'the new list is known').toEqual([]);
    const back = await project.run(['rollback', '--yes']);
    expect(back.exitCode, back.stderr).toBe(0);
    expect((await cluster.get(testEnvironment.ref('v1', 'ConfigMap', what))).data).toEqual({ a: '4' });
    expect((await project.destroy()).exitCode).toBe(0);
    expect(await cluster.find(secret(`${listOf(project)}-2`))).toBeUndefined();
  });

  /** The list goes on, and the inventory is that of a backup. */
  async function restored(project: Project): Promise<void> {
    const backup = await cluster.get(inventoryOf(project));
    await declared(project, 'restored', '3b');
    await declared(project, 'restored', '3c');
    const live = await cluster.get(inventoryOf(project));
    await cluster.patch('backup', live as never, { data: backup.data });
  }
});

test('a list that somebody forged before the first deploy applies nothing, and its objects need a word of their own', async () => {
  const project = projectOf('before');
  await project.run(['synth']);
  await forge(project);
  testEnvironment.removeLater({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: evil(project) } });
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: evil(project) } };
  expect(codesOf(await deployed(project))).toEqual(['history-unknown']);
  await declared(project, 'before', '2');
  const back = await project.run(['rollback', '--yes']);
  expect(back.exitCode, back.stderr).toBe(0);
  expect(await cluster.find(role)).toBeUndefined();
  const trusting = ['rollback', '1', '--yes', '--trust-history', listOf(project)];
  const asked = await project.run(trusting);
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`ClusterRole/${evil(project)}`) });
  expect(await cluster.find(role)).toBeUndefined();
  expect((await cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'before'))).data, 'nothing is deleted either').toEqual({ a: '1' });
  const mistyped = await project.run([...trusting, '--allow', `ClusterRole/${evil(project)}`, 'ConfigMap/nope', 'Role/*']);
  expect([mistyped.exitCode, mistyped.stderr.match(/`--allow \S+` names no object that the rollback would change/g)]).toEqual([
    2,
    ['ConfigMap/nope', 'Role/*'].map((word) => `\`--allow ${word}\` names no object that the rollback would change`),
  ]);
  const allowed = await project.run([...trusting, '--allow', `ClusterRole/${evil(project)}`, 'ConfigMap/before']);
  expect([allowed.exitCode, allowed.stderr.includes('flag-unmatched')], allowed.stderr).toEqual([0, false]);
  expect(await cluster.find(role)).toBeDefined();
  const known = (await revisions(project)).filter(({ unknown }) => unknown === undefined);
  expect(known.map(({ revision, rollbackTo }) => [revision, rollbackTo])).toEqual([
    [2, 1],
    [1, undefined],
  ]);
});

test('without a free name, a deploy warns and goes on; destroy deletes what stands under all three names', async () => {
  const project = projectOf('none-left');
  await deployed(project);
  for (const a of ['2', '3']) {
    await unvouched(project);
    expect(codesOf(await declared(project, 'none-left', a))).toContain('history-unknown');
  }
  await unvouched(project);
  const report = await declared(project, 'none-left', '4');
  expect(codesOf(report), 'one warning for all lists').toEqual(['history-unknown', 'revision-not-recorded']);
  const [{ message }] = report.result.events.filter(({ code }) => code === 'history-unknown') as [ResponseBody];
  const names = ['', '-2', '-3'].map((name) => `${listOf(project)}${name}`);
  expect(message).toContain(`does not know Secrets ${names.join(', ')} in Namespace`);
  expect(message).not.toContain('begins');
  for (const name of ['', '-2', '-3']) expect(await cluster.find(secret(`${listOf(project)}${name}`))).toBeDefined();
  expect((await project.destroy()).exitCode).toBe(0);
  const left = (await cluster.list('v1', 'Secret', testEnvironment.namespace)).map(({ metadata }) => metadata.name as string);
  expect(left.filter((name) => name.startsWith(listOf(project)))).toEqual([]);
});

test.each<[string, (request: { method: string; path: string }, list: string) => boolean]>([
  ['the inventory knows of it', ({ method, path }, list) => method === 'PUT' && path.endsWith(`/secrets/${list}`)],
  ['a part is written', ({ method, path }, list) => method === 'PATCH' && path.includes(`/secrets/${list}.`)],
])('a run that ends when %s loses no revision', async (what, isLast) => {
  const proxy = await testEnvironment.proxy();
  const name = what.replaceAll(' ', '-');
  const project = projectOf(name);
  for (const a of ['1', '2']) await declared(project, name, a);
  const refusal = { status: 500, body: { kind: 'Status', message: 'dead by now' } };
  let isDead = false;
  proxy.onRequest = (request) => {
    isDead ||= isLast(request, listOf(project));
    return isDead ? refusal : undefined;
  };
  edit(project, { main: [own(config(name, { a: '3' }))] });
  await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(isDead).toBe(true);
  await testEnvironment.freeLeases();
  expect(codesOf(await declared(project, name, '4'))).toEqual([]);
  expect((await revisions(project)).map(({ revision, unknown }) => [revision, unknown])).toEqual([3, 2, 1].map((one) => [one, undefined]));
});

test('a vouched revision with an object that grants rights, which the program does not declare now, asks for it by name', async () => {
  const project = projectOf('grants');
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'grants-role' }, rules: [] };
  edit(project, { main: [own(config('grants', { a: '1' })), own(role)] });
  await deployed(project);
  edit(project, { main: [own(config('grants', { a: '2' }))] });
  await deployed(project, '--yes');
  const asked = await project.run(['rollback', '--yes']);
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--allow Role/grants-role') });
  const found = () => cluster.find(testEnvironment.ref(role.apiVersion, 'Role', 'grants-role'));
  expect(await found()).toBeUndefined();
  const back = await project.run(['rollback', '--yes', '--allow', 'Role/*']);
  expect([back.exitCode, (await found()) !== undefined], back.stderr).toEqual([0, true]);
});

test('others with the rights of another app cannot make the records of this one', async () => {
  const [project, other] = [projectOf('mine'), projectOf('theirs')];
  await project.run(['synth']);
  const printed = await other.run(['rbac']);
  const roles = parseAllDocuments(printed.stdout).map((document) => document.toJS() as ResponseBody);
  const rules = roles
    .filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace === testEnvironment.namespace)
    .flatMap((one) => one.rules);
  const kubeconfig = await testEnvironment.account('mallory', rules as ResponseBody[]);
  expect((await other.deploy([], { kubeconfig })).exitCode).toBe(0);
  const { TestCluster } = await import('../harness/cluster.js');
  const mallory = new TestCluster(kubeconfig);
  const { namespace } = testEnvironment;
  const lease = testEnvironment.ref('coordination.k8s.io/v1', 'Lease', shardName(identityOf(project), 0));
  const records = [inventoryOf(project), lease, secret(listOf(project)), secret(slotName(listOf(project), 0))];
  for (const record of records) {
    const refusal = { status: 403 };
    await expect(mallory.create('mallory', { ...record, metadata: { ...record.metadata, namespace } })).rejects.toMatchObject(refusal);
    await expect(mallory.apply('mallory', record)).rejects.toMatchObject(refusal);
  }
  mallory.client.close();
});

const recordRulesOf = async (project: Project): Promise<readonly ResponseBody[]> => {
  const { stdout } = await project.run(['rbac']);
  const roles = parseAllDocuments(stdout).map((document) => document.toJS() as ResponseBody);
  return roles
    .filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace === testEnvironment.namespace)
    .flatMap((one) => one.rules);
};

test('a Role of an earlier version still deploys, with one line that says which right is old', async () => {
  const project = projectOf('old-role');
  const rules = await recordRulesOf(project);
  const isRecord = (rule: ResponseBody) => rule.verbs.includes('update');
  const old = rules.map((rule) =>
    isRecord(rule) ? { ...rule, verbs: rule.verbs.filter((verb: string) => verb !== 'patch' && verb !== 'create') } : rule,
  );
  const unnamed = [
    { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['create'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  ];
  const report = await project.deploy([], { kubeconfig: await testEnvironment.account('old', [...old, ...unnamed]) });
  expect([report.exitCode, codesOf(report)], String(report)).toEqual([0, ['rights-outdated']]);
  expect(await revisions(project)).toMatchObject([{ revision: 1 }]);
});

test.each(['configmaps', 'leases'].flatMap((resource) => ['get', 'create', 'update', 'delete'].map((verb) => [verb, resource] as const)))(
  'without the right to %s %s, the first deploy is refused before its first write',
  async (verb, resource) => {
    const name = `no-${verb}-${resource}`;
    const project = projectOf(name);
    const rules = await recordRulesOf(project);
    const isRecord = (rule: ResponseBody) => rule.verbs.includes('update') && rule.resources.includes(resource);
    const lacking = rules.map((rule) => (isRecord(rule) ? { ...rule, verbs: rule.verbs.filter((one: string) => one !== verb) } : rule));
    const report = await project.deploy([], { kubeconfig: await testEnvironment.account(name, lacking) });
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.summary.errors).toMatchObject([{ next: expect.stringContaining('fieldwise rbac') }]);
    expect(await cluster.find(testEnvironment.ref('v1', 'ConfigMap', name))).toBeUndefined();
    expect(await cluster.find(inventoryOf(project))).toBeUndefined();
  },
);

describe('a renamed stack', () => {
  const renamed = (project: Project, name: string, a: string) => {
    const text = testEnvironment.text({ next: [own(config(name, { a }))] });
    project.write({ 'main.ts': text.replace('new Stack(app, "next")', 'new Stack(app, "next", { renamedFrom: \'main\' })') });
  };

  test('leaves an unknown history of its former name as it is, and names it', async () => {
    const project = projectOf('renamed-unknown');
    for (const a of ['1', '2']) await declared(project, 'renamed-unknown', a);
    await unvouched(project);
    const before = await cluster.get(secret(listOf(project)));
    renamed(project, 'renamed-unknown', '2');
    const list = listOf(project);
    expect(codesOf(await deployed(project))).toEqual(['history-unknown']);
    expect(await cluster.get(secret(list))).toEqual(before);
    expect(await cluster.find(secret(slotName(list, 0)))).toBeDefined();
  });

  test('keeps its history where the run is killed before it has moved', async () => {
    const project = projectOf('renamed-killed');
    for (const a of ['1', '2']) await declared(project, 'renamed-killed', a);
    renamed(project, 'renamed-killed', '3');
    const isMoving = ({ method, path }: { method: string; path: string }) => method === 'PUT' && path.includes('.next.');
    let puts = 0;
    const isKilled = await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      (request) => isMoving(request) && ++puts === 2, // the results are written, and the history is about to be noted
    );
    expect(isKilled).toBe(true);
    await deployed(project, '--yes');
    const known = (await revisions(project)).filter(({ unknown }) => unknown === undefined);
    expect(known.map(({ revision }) => revision)).toEqual(expect.arrayContaining([1, 2, 3]));
    const inventories = await cluster.list('v1', 'ConfigMap', testEnvironment.namespace);
    const app = project.manager('next').split('/')[1] as string;
    expect(inventories.filter(({ data }) => data?.app === app).map(({ data }) => data.stack)).toEqual(['next']);
  });
});

test('a list that is replaced after somebody has trusted it is not known afterwards', async () => {
  const project = projectOf('swapped');
  for (const a of ['1', '2']) await declared(project, 'swapped', a);
  await unvouched(project);
  const proxy = await testEnvironment.proxy();
  let isSwapped = false;
  proxy.onRequest = async ({ method, path }) => {
    if (!isSwapped && method === 'PATCH' && path.endsWith('/swapped')) {
      isSwapped = true;
      await edited(project);
    }
    return undefined;
  };
  const back = await project.run(['rollback', '1', '--yes', '--trust-history', listOf(project), '--allow', 'ConfigMap/swapped'], {
    kubeconfig: proxy.kubeconfig,
  });
  expect([back.exitCode, isSwapped], back.stderr).toEqual([0, true]);
  expect(back.stderr).toContain('[history-unknown]');
  const known = (await revisions(project)).filter(({ unknown }) => unknown === undefined);
  expect(known.every(({ by }) => by !== 'somebody else')).toBe(true);
});

test('with a Role of an earlier version, the history is listed and gone back to', async () => {
  const project = projectOf('old-reader');
  const roles = parseAllDocuments((await project.run(['rbac'])).stdout).map((document) => document.toJS() as ResponseBody);
  const rules = roles
    .filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace === testEnvironment.namespace)
    .flatMap((one) => one.rules);
  const ofFirstList = (rules as ResponseBody[]).map((rule) => ({
    ...rule,
    ...(rule.resourceNames
      ? { resourceNames: rule.resourceNames.filter((name: string) => !/fieldwise-history\.[0-9a-f]+-/.test(name)) }
      : {}),
  }));
  const kubeconfig = await testEnvironment.account('old-reader', ofFirstList);
  for (const a of ['1', '2']) {
    edit(project, { main: [own(config('old-reader', { a }))] });
    expect((await project.deploy([], { kubeconfig })).exitCode).toBe(0);
  }
  const listed = await project.run(['history'], { kubeconfig });
  expect([listed.exitCode, listed.stdout.includes(' 2*')], listed.stderr).toEqual([0, true]);
  const back = await project.run(['rollback', '--yes'], { kubeconfig });
  expect(back.exitCode, back.stderr).toBe(0);
  expect((await cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'old-reader'))).data).toEqual({ a: '1' });
});

test('a list that is trusted is known afterwards, also where its revision is what is deployed', async () => {
  const project = projectOf('kept-list');
  for (const a of ['1', '2']) await declared(project, 'kept-list', a);
  await unvouched(project);
  const kept = await project.run(['rollback', '2', '--yes', '--trust-history', listOf(project), '--allow', 'ConfigMap/*']);
  expect(kept.exitCode, kept.stderr).toBe(0);
  expect((await revisions(project)).map(({ revision, unknown }) => [revision, unknown])).toEqual([3, 2, 1].map((one) => [one, undefined]));
  expect(codesOf(await declared(project, 'kept-list', '3'))).toEqual([]);
});

test('a destroy that is killed at the end of its history is completed by the next one', async () => {
  const project = projectOf('ended');
  await deployed(project);
  const isKilled = await testEnvironment.killRun(
    (options) => project.run(['destroy', '--yes'], options),
    ({ method, path }) => method === 'DELETE' && path.endsWith(`/secrets/${slotName(listOf(project), 0)}`),
  );
  expect(isKilled).toBe(true);
  expect((await project.destroy()).exitCode).toBe(0);
  const left = (await cluster.list('v1', 'Secret', testEnvironment.namespace)).map(({ metadata }) => metadata.name as string);
  expect(left.filter((name) => name.startsWith(listOf(project)))).toEqual([]);
});

test.each([
  ['mistyped-part', (project: Project) => slotName(listOf(project), 0), 'it is not the list of a history'],
  ['mistyped-nope', () => 'nope', 'it does not exist'],
])('a mistyped --trust-history (%s) asks nobody to delete', async (what, nameOf, why) => {
  const project = projectOf(what);
  for (const a of ['1', '2']) await declared(project, what, a);
  const refused = await project.run(['rollback', '1', '--yes', '--trust-history', nameOf(project)]);
  expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining(why)]);
  expect(refused.stderr).toContain('Correct `--trust-history`: `fieldwise history main` shows');
  expect(refused.stderr).not.toContain('kubectl delete');
});

test('destroy finds the parts of a list that somebody deleted with the printed command', async () => {
  const project = projectOf('parts');
  for (const a of ['1', '2']) await declared(project, 'parts', a);
  await unvouched(project);
  await declared(project, 'parts', '3');
  await cluster.remove(secret(listOf(project)));
  expect(await cluster.find(secret(slotName(listOf(project), 0)))).toBeDefined();
  expect((await project.destroy()).exitCode).toBe(0);
  const left = (await cluster.list('v1', 'Secret', testEnvironment.namespace)).map(({ metadata }) => metadata.name as string);
  expect(left.filter((name) => name.startsWith(listOf(project)))).toEqual([]);
});
