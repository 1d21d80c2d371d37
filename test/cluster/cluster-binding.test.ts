import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { type Project, Report } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

/* Saved plans, snapshots and revisions know their cluster by two uids: that of kube-system, and that of the namespace of the inventories. */

const testEnvironment = await TestEnvironment.create('cluster-binding');
const { cluster, namespace } = testEnvironment;
const { config, edit } = configMapHelpers(testEnvironment);
const uidOf = async (name: string): Promise<string> => (await cluster.get(ref('v1', 'Namespace', name))).metadata.uid;
const uid = await uidOf('kube-system');
const inventoryUid = await uidOf(namespace);
const other = '00000000-0000-0000-0000-000000000000';
const paths = { 'kube-system': '/api/v1/namespaces/kube-system', inventories: `/api/v1/namespaces/${namespace}` } as const;

const projectOf = (name: string, files: Readonly<Record<string, string>> = {}) => {
  const project = testEnvironment.program({ main: [own(config(name, { a: '1' }))] });
  project.write(files);
  return project;
};
const warningsOf = (events: readonly ResponseBody[]) =>
  events.flatMap(({ event, code, message }) => (event === 'warning' ? [`${code}: ${message}`] : []));
const boundToNone = (events: readonly ResponseBody[]) => warningsOf(events).filter((text) => text.startsWith('bound-to-no-cluster'));
const live = (name: string) => cluster.find(testEnvironment.ref('v1', 'ConfigMap', name));

/** The answer to a read of a Namespace: another uid, or an error. */
type Answer = 'true' | 'other' | 403 | 404 | 500;

/** A kubeconfig of a proxy that gives these answers, and the reads of the two Namespaces that it has seen. */
async function seen(answers: Readonly<Partial<Record<keyof typeof paths, Answer>>>) {
  const proxy = await testEnvironment.proxy();
  const reads: string[] = [];
  proxy.onRequest = ({ method, path }) => {
    const [name] = Object.entries(paths).find(([, each]) => each === path) ?? [];
    if (method !== 'GET' || name === undefined) return undefined;
    reads.push(name);
    const answer = answers[name as keyof typeof paths] ?? 'true';
    if (answer === 'true') return undefined;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: path.split('/').at(-1), uid: other } };
    if (answer === 'other') return { status: 200, body };
    const failed = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: answer, message: `namespaces "${name}" is not read` };
    return { status: answer, body: { ...failed, reason: { 403: 'Forbidden', 404: 'NotFound', 500: 'InternalError' }[answer] } };
  };
  return { kubeconfig: proxy.kubeconfig, reads };
}

async function savedPlan(project: Project, answers: Parameters<typeof seen>[0] = {}) {
  const { kubeconfig, reads } = await seen(answers);
  const { exitCode, events, stderr } = await project.run(['diff', '-o', 'json', '--output-file', 'plan=plan.json'], { kubeconfig });
  expect(exitCode, stderr).toBe(0);
  return { events, reads, plan: JSON.parse(project.read('plan.json')) };
}

test('a plan that was made for one server is refused by another one, by name, and nothing is written there', async () => {
  const project = projectOf('elsewhere');
  await savedPlan(project);
  const digest = `sha256:${createHash('sha256').update(project.read('plan.json')).digest('hex')}`;
  for (const more of [[], ['--plan-digest', digest]]) {
    const { exitCode, stderr } = await project.run(['deploy', '--cluster', 'embedded', '--plan', 'plan.json', ...more]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[plan-of-another]')]);
    expect(stderr).toMatch(
      new RegExp(`The plan was made for the cluster ${uid} \\(https?://\\S+\\), and this is (?!${uid})\\S+ \\(https?://`),
    );
  }
  const listed = await project.run(['list', '--cluster', 'embedded', '-o', 'json']);
  expect([listed.exitCode, listed.events.filter(({ event }) => event === 'stack')]).toEqual([0, []]);
  expect((await project.deploy(['--plan', 'plan.json'])).exitCode).toBe(0);
});

interface Case {
  readonly what: string;
  readonly planned?: Parameters<typeof seen>[0];
  readonly deployed?: Parameters<typeof seen>[0];
  readonly refused?: RegExp;
  readonly unbound?: RegExp;
}

const none = { 'kube-system': 403, inventories: 403 } as const;

test.each<Case>([
  { what: 'the same cluster' },
  { what: 'another kube-system', deployed: { 'kube-system': 'other' }, refused: new RegExp(`cluster ${uid} .*this is ${other} `) },
  {
    what: 'another kube-system, whatever the other uid',
    deployed: { 'kube-system': 'other', inventories: 403 },
    refused: new RegExp(`cluster ${uid} .*this is ${other} `),
  },
  {
    what: 'another namespace of the inventories',
    deployed: { inventories: 'other' },
    refused: new RegExp(`had the uid ${inventoryUid}, and it has ${other}`),
  },
  {
    what: 'another namespace of the inventories, where the deployer may not read kube-system',
    deployed: { 'kube-system': 403, inventories: 'other' },
    refused: new RegExp(`had the uid ${inventoryUid}, and it has ${other}`),
  },
  {
    what: 'another namespace of the inventories, where the planner might not read kube-system',
    planned: { 'kube-system': 403 },
    deployed: { 'kube-system': 'other', inventories: 'other' },
    refused: new RegExp(`had the uid ${inventoryUid}, and it has ${other}`),
  },
  { what: 'the same namespace of the inventories alone', planned: { 'kube-system': 403 }, deployed: { 'kube-system': 'other' } },
  { what: 'kube-system alone, without a namespace of the inventories', planned: { inventories: 404 }, deployed: { inventories: 'other' } },
  { what: 'a failure of one read', deployed: { 'kube-system': 500 } },
  { what: 'nothing to read for the deployer', deployed: none, unbound: /the uids that it has of its cluster cannot be read here/ },
  { what: 'nothing to read for the planner', planned: none, unbound: /it has no uid of the cluster for which it was made/ },
  { what: 'nothing in common', planned: { 'kube-system': 403 }, deployed: { inventories: 404 }, unbound: /cannot be read here/ },
])('a saved plan and $what', async ({ what, planned = {}, deployed = {}, refused, unbound }) => {
  const name = what.replaceAll(/\W+/g, '-').toLowerCase();
  const project = projectOf(name);
  const { events, plan } = await savedPlan(project, planned);
  expect(plan.cluster).toEqual({
    server: expect.stringMatching(/^https?:/),
    ...(planned['kube-system'] === undefined ? { uid } : {}),
    ...(planned.inventories === undefined ? { inventoryUid } : {}),
  });
  expect(boundToNone(events)).toEqual(
    planned === none ? [expect.stringMatching(/cannot be read: a deploy of it to another cluster is not/)] : [],
  );
  const { kubeconfig } = await seen(deployed);
  const report = await project.deploy(['--plan', 'plan.json'], { kubeconfig });
  if (refused) {
    expect([report.exitCode, report.stderr], String(report)).toEqual([2, expect.stringMatching(refused)]);
    expect(report.stderr).toContain('[plan-of-another]');
  } else expect(report.exitCode, String(report)).toBe(0);
  expect(boundToNone(report.result.events)).toEqual(unbound ? [expect.stringMatching(unbound)] : []);
  expect((await live(name)) === undefined).toBe(refused !== undefined);
});

test('a plan of an older version is bound to no cluster, and deployed', async () => {
  const project = projectOf('older');
  const { plan } = await savedPlan(project);
  const { cluster: _, ...older } = plan;
  project.write({ 'plan.json': JSON.stringify(older) });
  const report = await project.deploy(['--plan', 'plan.json']);
  expect([report.exitCode, boundToNone(report.result.events)]).toEqual([0, [expect.stringContaining('it has no uid of the cluster')]]);
  project.write({ 'plan.json': JSON.stringify({ ...plan, cluster: { server: 'x', uid: 1 } }) });
  const damaged = await project.run(['deploy', '--plan', 'plan.json']);
  expect([damaged.exitCode, damaged.stderr]).toEqual([2, expect.stringMatching(/cluster\.uid.*\[plan-invalid\]/)]);
});

test('the environments that are pinned to the clusters are named', async () => {
  const project = projectOf('pinned', {
    'fieldwise.yaml': `app: main.ts\nenvironments:\n  staging: { instance: default, clusterUid: ${uid} }\n  prod: { instance: default, clusterUid: ${other} }\n`,
  });
  const { exitCode, stderr } = await project.run(['diff', '-e', 'staging', '--output-file', 'plan=plan.json']);
  expect(exitCode, stderr).toBe(0);
  const { kubeconfig, reads } = await seen({ 'kube-system': 'other' });
  const refused = await project.run(['deploy', '-e', 'prod', '--plan', 'plan.json'], { kubeconfig });
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(new RegExp(`cluster of staging, ${uid} .*, and this is of prod, ${other} `)),
  ]);
  expect(reads).toEqual(['kube-system', 'inventories']);
});

describe('a rule refuses a plan that is bound to no cluster', () => {
  const rules = `import { boundToCluster } from 'fieldwise/rules';\nexport default [boundToCluster()];\n`;
  const ruled = (name: string) => projectOf(name, { 'rules.ts': rules, 'fieldwise.yaml': 'app: main.ts\nrules: rules.ts\n' });

  test.each<{ what: string; answers: Parameters<typeof seen>[0]; exitCode: number }>([
    { what: 'both uids', answers: {}, exitCode: 0 },
    { what: 'one uid', answers: { 'kube-system': 403 }, exitCode: 0 },
    { what: 'no uid', answers: none, exitCode: 4 },
  ])('$what', async ({ what, answers, exitCode }) => {
    const name = `rule-${what.replaceAll(/\W+/g, '-')}`;
    const project = ruled(name);
    const { kubeconfig } = await seen(answers);
    const shown = await project.run(['diff'], { kubeconfig });
    expect([shown.exitCode, shown.stdout.includes('bound-to-cluster: the plan is bound to no cluster')]).toEqual([
      exitCode,
      exitCode !== 0,
    ]);
    const deployed = await project.run(['deploy', '--yes'], { kubeconfig });
    expect(deployed.exitCode, deployed.stderr).toBe(exitCode);
  });

  test('also where the plan is of an older version, or the deployer can read none of its uids', async () => {
    const project = ruled('rule-older');
    const { plan } = await savedPlan(project);
    const { kubeconfig } = await seen(none);
    const unread = await project.run(['deploy', '--plan', 'plan.json'], { kubeconfig });
    const { cluster: _, ...older } = plan;
    project.write({ 'plan.json': JSON.stringify(older) });
    const bare = await project.run(['deploy', '--plan', 'plan.json']);
    for (const { exitCode, stderr } of [unread, bare]) expect([exitCode, stderr]).toEqual([4, expect.stringContaining('[rule-denied]')]);
    project.write({ 'plan.json': JSON.stringify(plan) });
    const { exitCode, stderr } = await project.run(['deploy', '--plan', 'plan.json']);
    expect(exitCode, stderr).toBe(0);
  });
});

test('the uids are read at most once a run, and by no run that does not need them', async () => {
  const project = projectOf('reads');
  const both = ['inventories', 'kube-system'];
  const counted = async (args: readonly string[]) => {
    const { kubeconfig, reads } = await seen({});
    const { exitCode, stderr } = await project.run(args, { kubeconfig });
    expect(exitCode, stderr).toBe(0);
    return reads.sort();
  };
  expect(await counted(['diff'])).toEqual([]);
  expect(await counted(['diff', '--output-file', 'plan=plan.json'])).toEqual(both);
  expect(await counted(['deploy', '--plan', 'plan.json'])).toEqual(both); // also for the revision
  expect(await counted(['deploy'])).toEqual([]); // nothing has changed, so no revision is recorded
  edit(project, { main: [own(config('reads', { a: '2' }))] });
  expect(await counted(['deploy'])).toEqual(both);
  expect(await counted(['rollback', '1', '--yes'])).toEqual(both);
  expect(await counted(['snapshot'])).toEqual(expect.arrayContaining(both)); // beside the namespace of the program, which is the same here
});

test('those who may read neither Namespace plan and deploy all the same', async () => {
  const project = projectOf('narrow');
  const kubeconfig = await testEnvironment.account('narrow', [
    { apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases', 'secrets'], verbs: ['*'] },
  ]);
  const shown = await project.run(['diff', '-o', 'json', '--output-file', 'plan=plan.json'], { kubeconfig });
  expect([shown.exitCode, boundToNone(shown.events)]).toEqual([0, [expect.stringContaining('cannot be read')]]);
  const report = await project.deploy(['--plan', 'plan.json'], { kubeconfig });
  expect([report.exitCode, boundToNone(report.result.events)]).toEqual([0, [expect.stringContaining('no uid of the cluster')]]);
  const { events } = await project.run(['history', '-o', 'json']);
  expect(events).toEqual([expect.objectContaining({ revision: 1, result: 'succeeded' })]);
  expect(events[0]).not.toHaveProperty('cluster');
});

test('a revision has the uids, and a rollback to one of another cluster says so and is done', async () => {
  const project = projectOf('restored');
  expect((await project.deploy()).exitCode).toBe(0);
  edit(project, { main: [own(config('restored', { a: '2' }))] });
  const unread = await project.deploy([], { kubeconfig: (await seen({ 'kube-system': 500, inventories: 403 })).kubeconfig });
  expect(unread.exitCode, String(unread)).toBe(0);
  const { events } = await project.run(['history', '-o', 'json']);
  expect(events.map(({ revision, cluster: of }) => [revision, of])).toEqual([
    [2, undefined],
    [1, { uid, inventoryUid }],
  ]);
  const { kubeconfig } = await seen({ 'kube-system': 'other', inventories: 'other' });
  const shown = await project.run(['diff', '-o', 'json', '--to-revision', '1'], { kubeconfig });
  const report = new Report(await project.run(['rollback', '1', '-o', 'json', '--yes'], { kubeconfig }));
  for (const { exitCode, events: told } of [shown, report.result]) {
    expect([exitCode, warningsOf(told)]).toEqual([
      0,
      [expect.stringMatching(`revision-of-another-cluster: Revision 1 .*${uid}, and has ${other}`)],
    ]);
  }
  expect((await live('restored'))?.data).toEqual({ a: '1' });
});

test('a snapshot has the uids, and is refused for an environment that is pinned to another cluster', async () => {
  const environments = (pin: string) =>
    `app: main.ts\nenvironments:\n  prod: { instance: default, clusterUid: ${pin} }\n  free: { instance: default }\n`;
  const project = projectOf('snapshot', { 'fieldwise.yaml': environments(uid) });
  expect((await project.run(['snapshot', '-e', 'prod', '--output-file', 'snapshot=snapshot.json'])).exitCode).toBe(0);
  const snapshot = JSON.parse(project.read('snapshot.json'));
  expect(snapshot.cluster).toEqual({ uid, inventoryUid });
  const offline = async (environment: string) =>
    project.run(['diff', '-e', environment, '-o', 'json', '--offline', '--snapshot', 'snapshot.json']);
  const fits = await offline('prod');
  expect([fits.exitCode, warningsOf(fits.events)], fits.stderr).toEqual([0, []]);
  expect([(await offline('free')).exitCode, (await offline('free')).stderr]).toEqual([2, expect.stringContaining('[cluster-pin-differs]')]);

  project.write({ 'fieldwise.yaml': environments(other) });
  const differs = await offline('prod');
  expect([differs.exitCode, differs.stderr]).toEqual([
    2,
    expect.stringMatching(`prod is pinned to .*${other}, but this cluster has the uid ${uid}`),
  ]);

  const { cluster: _, ...older } = snapshot;
  project.write({ 'snapshot.json': JSON.stringify(older) });
  const unbound = await offline('prod');
  expect([unbound.exitCode, boundToNone(unbound.events)]).toEqual([0, [expect.stringContaining('of the cluster of prod')]]);
  expect((await offline('free')).exitCode).toBe(0);
  project.write({ 'snapshot.json': JSON.stringify({ ...snapshot, cluster: { uid: 1 } }) });
  expect((await offline('prod')).stderr).toContain('[snapshot-invalid]');
});
