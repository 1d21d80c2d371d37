import { describe, expect, test } from 'vitest';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('unread');
const { namespace } = testEnvironment;

const environment = { DB_PASSWORD: 'a-password-nobody-may-see' };
const encoded = (text: string) => Buffer.from(text).toString('base64');
const notSet = 'the environment variable DB_PASSWORD is not set';

interface Intent {
  readonly name: string;
  readonly labels?: Record<string, string>;
  readonly type?: string;
  readonly key?: string;
  readonly strategy?: 'dynamic';
  readonly conflicts?: 'yield' | 'fail';
}

function program({ name, labels = {}, type = 'Opaque', key = 'password', strategy, conflicts }: Intent): string {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, type };
  return `import { App, fromEnv, Stack } from 'fieldwise';
const stack = new Stack(new App(), 'main'${strategy ? `, { strategy: '${strategy}' }` : ''});
stack.own({ ...${JSON.stringify(secret)}, stringData: { ['${key}']: fromEnv('DB_PASSWORD') } }${conflicts ? `, { conflicts: '${conflicts}' }` : ''});
stack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '${name}' }, data: { labels: '${Object.keys(labels).length}' } });
`;
}

function project(intent: Intent): Project {
  const made = testEnvironment.program({});
  made.write({ 'main.ts': program(intent) });
  return made;
}

async function deploy(it: Project): Promise<void> {
  const report = await it.deploy([], { environment });
  expect(report.exitCode, String(report)).toBe(0);
}

/** Somebody else takes fields of a Secret. */
async function force(
  { metadata, ...fields }: { readonly metadata: { readonly name: string; readonly labels?: object }; readonly data?: object },
  manager = 'vault',
): Promise<void> {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, namespace }, ...fields };
  await testEnvironment.cluster.apply(manager, secret, { force: true });
}

/** Somebody else records that nobody owns the value of a Secret. */
async function disown(name: string): Promise<void> {
  const entry = { manager: 'vault', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:type': {} } };
  const patch = [{ op: 'replace', path: '/metadata/managedFields', value: [entry] }];
  await testEnvironment.cluster.patch('vault', testEnvironment.ref('v1', 'Secret', name), patch, 'json');
}

interface PlanLine {
  readonly event: string;
  readonly code?: string;
  readonly message?: string;
  readonly object?: string;
  readonly action?: string;
  readonly source?: string;
  readonly state?: string;
  readonly differs?: boolean;
  readonly notCompared?: readonly string[];
  readonly fields?: readonly { readonly field: string; readonly change?: string; readonly drift?: string }[];
  readonly drift?: readonly { readonly field: string; readonly drift: string }[];
  readonly pending?: readonly string[];
}

async function json(it: Project, args: readonly string[]): Promise<{ lines: readonly PlanLine[]; exitCode: number; text: string }> {
  const { stdout, stderr, exitCode } = await it.run([...args, '-o', 'json']);
  const lines = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PlanLine);
  return { lines, exitCode, text: `${stdout}${stderr}` };
}

const secretOf = (lines: readonly PlanLine[]) => lines.find(({ object }) => object?.startsWith('Secret '));
const configMapOf = (lines: readonly PlanLine[]) => lines.find(({ object }) => object?.startsWith('ConfigMap '));
const changedFields = (line: PlanLine | undefined) =>
  (line?.fields ?? []).filter(({ change }) => change !== 'same' && change !== 'co-own').map(({ change, field }) => `${change} ${field}`);
const warningsOf = (lines: readonly PlanLine[]) => lines.filter(({ event }) => event === 'warning').map(({ code }) => code);

/** The ways to plan without sending anything. */
const plans = {
  'read-only': async (_: Project) => ['diff', '--read-only'],
  offline: async (it: Project) => {
    const { exitCode, stderr } = await it.run(['snapshot']);
    expect(exitCode, stderr).toBe(0);
    return ['diff', '--offline'];
  },
};

for (const [way, argsOf] of Object.entries(plans)) {
  test(`a ${way} plan without the value compares all else`, async () => {
    const it = project({ name: `known-${way}` });
    await deploy(it);
    const same = await json(it, await argsOf(it));
    expect(same.exitCode, same.text).toBe(0);
    expect(secretOf(same.lines)).toMatchObject({ action: 'unchanged', source: 'schema', notCompared: ['.data.password'] });
    expect(same.lines.at(-1)).toMatchObject({ event: 'plan-summary', differs: true });
    expect(same.lines[0]).toMatchObject({ code: 'value-not-compared' });
    expect(same.lines[0]?.message).toBe(
      way === 'offline'
        ? 'Not compared: the values and annotations of 1 Secret, because a snapshot does not contain them'
        : `Not compared: .data.password of Secret ${namespace}/known-${way}, because ${notSet}`,
    );

    it.write({ 'main.ts': program({ name: `known-${way}`, labels: { team: 'shop' } }) });
    const edited = await json(it, await argsOf(it));
    expect(changedFields(secretOf(edited.lines))).toEqual(['set .metadata.labels.team']);
    expect(changedFields(configMapOf(edited.lines))).toEqual(['change .data.labels']);
    expect(same.text + edited.text).not.toContain(encoded(environment.DB_PASSWORD));
  });

  test.each([
    ['Opaque', 'password'],
    ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
    ['kubernetes.io/ssh-auth', 'ssh-privatekey'],
  ])(`a ${way} plan creates a Secret of type %s without the value of %s`, async (type, key) => {
    const name = `new-${way}-${key.replace(/\W/g, '')}`;
    const it = project({ name, type, key });
    const { lines, text } = await json(it, await argsOf(it));
    expect(secretOf(lines), text).toMatchObject({ action: 'create', source: 'schema' });
    expect(secretOf(lines)?.notCompared).toHaveLength(1);
    expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'Secret', name))).toBeUndefined();
  });

  test(`a ${way} plan takes a value that another manager owns, and says that the values are not compared`, async () => {
    const it = project({ name: `foreign-${way}` });
    await deploy(it);
    await force({ metadata: { name: `foreign-${way}` }, data: { password: encoded('theirs') } });
    const { lines, text } = await json(it, await argsOf(it));
    expect(secretOf(lines), text).toMatchObject({ action: 'update', notCompared: ['.data.password'] });
    expect(changedFields(secretOf(lines))).toEqual(['force .data.password']);
    expect(lines.at(-1)).toMatchObject({ forcedConflicts: 1, forcedConflictsByOwner: { vault: 1 } });
    const { stdout } = await it.run(await argsOf(it));
    expect(stdout).toContain('.data.password: "***" → "***", from vault (values not compared, perhaps equal)');
    const page = await it.run([...(await argsOf(it)), '--output-file', 'markdown=plan.md']);
    expect(it.read('plan.md'), page.stderr).toMatch(/takes .*data\.password.* from .vault.*\(values not compared, perhaps equal\)/);
  });

  test(`a ${way} plan of a value that nobody owns changes it`, async () => {
    const it = project({ name: `free-${way}` });
    await deploy(it);
    await disown(`free-${way}`);
    const { lines, text } = await json(it, await argsOf(it));
    expect(changedFields(secretOf(lines)), text).toEqual(['change .data.password']);
  });
}

test('under the strategy dynamic, nothing is planned to be removed', async () => {
  const it = project({ name: 'dynamic', strategy: 'dynamic' });
  await deploy(it);
  const { lines, text } = await json(it, ['diff', '--read-only']);
  expect(secretOf(lines), text).toMatchObject({ action: 'unchanged', notCompared: ['.data.password'] });
});

test('status and drift do without the value, and still see what others changed', async () => {
  const it = project({ name: 'watched', labels: { team: 'shop' } });
  await deploy(it);
  const status = await json(it, ['status']);
  expect(secretOf(status.lines), status.text).toMatchObject({ state: 'in-sync', notCompared: ['.data.password'] });
  const drift = await json(it, ['drift', '--exit-code']);
  expect([drift.exitCode, warningsOf(drift.lines)]).toEqual([0, ['value-not-compared']]);

  const theirs = { metadata: { name: 'watched', labels: { team: 'other' } }, data: { password: encoded('theirs') } };
  await force(theirs);
  const drifted = await json(it, ['drift', '--exit-code']);
  expect(drifted.exitCode, drifted.text).toBe(1);
  expect(secretOf(drifted.lines)?.fields?.map(({ field, drift }) => [field, drift])).toEqual([
    ['.data.password', 'ownership-lost'],
    ['.metadata.labels.team', 'changed'],
  ]);
  const { stdout, stderr } = await it.run(['drift']);
  expect(stderr).toContain(`Not compared: .data.password of Secret ${namespace}/watched`);
  expect(stdout).toContain('.data.password: value not compared, and no longer owned by this stack; owned by vault');
});

describe('what managedFields tell of a value that cannot be read', () => {
  const opaque = async (name: string, change: (it: Project) => Promise<unknown>, intent: Partial<Intent> = {}) => {
    const it = project({ ...intent, name });
    await deploy(it);
    await change(it);
    const { lines, exitCode, text } = await json(it, ['drift', '--exit-code']);
    const status = await json(it, ['status']);
    return { drift: secretOf(lines)?.fields ?? [], exitCode, status: secretOf(status.lines), text: text + status.text };
  };
  const patch = (name: string, patches: readonly object[]) =>
    testEnvironment.cluster.patch('vault', testEnvironment.ref('v1', 'Secret', name), patches, 'json');
  const withKeys = (it: Project, name: string, keys: string) =>
    it.write({ 'main.ts': program({ name }).replace("{ ['password']: fromEnv('DB_PASSWORD') }", `{ ${keys} }`) });

  test('another manager has taken it', async () => {
    const { drift, exitCode, status, text } = await opaque('told-taken', () =>
      testEnvironment.cluster.patch('kubectl-patch', testEnvironment.ref('v1', 'Secret', 'told-taken'), {
        stringData: { password: 'theirs' },
      }),
    );
    expect(exitCode, text).toBe(1);
    expect(drift).toMatchObject([
      { field: '.data.password', drift: 'ownership-lost', owners: [{ manager: 'kubectl-patch', operation: 'Update' }] },
    ]);
    expect(status).toMatchObject({ state: 'drifted' });
    expect(text).not.toContain(encoded('theirs'));
  });

  test('somebody has removed it', async () => {
    const { drift, exitCode, status, text } = await opaque('told-removed', () =>
      patch('told-removed', [{ op: 'remove', path: '/data/password' }]),
    );
    expect(exitCode, text).toBe(1);
    expect(drift).toMatchObject([{ field: '.data.password', drift: 'removed', owners: [] }]);
    expect(status).toMatchObject({ state: 'drifted', pending: [] });
  });

  test('nobody owns it any more', async () => {
    const { drift, text } = await opaque('told-free', () => disown('told-free'));
    expect(drift, text).toContainEqual(expect.objectContaining({ field: '.data.password', drift: 'ownership-lost', owners: [] }));
  });

  test.each([
    ['nobody has written the object', async () => {}],
    [
      'somebody has written something else',
      (name: string) => patch(name, [{ op: 'add', path: '/metadata/annotations', value: { note: 'theirs' } }]),
    ],
  ] as const)('it is new in the program, and %s', async (when, write) => {
    const name = `told-new-${when.split(' ')[0]}`;
    const { drift, exitCode, status, text } = await opaque(name, async (it) => {
      await write(name);
      withKeys(it, name, "password: fromEnv('DB_PASSWORD'), token: fromEnv('DB_TOKEN')");
    });
    expect([exitCode, drift], text).toEqual([0, []]);
    expect(status).toMatchObject({ state: 'pending', pending: ['.data.token'], notCompared: ['.data.password', '.data.token'] });
  });
});

test('a program that changes beside an unread value is pending, and its change has not drifted', async () => {
  const it = project({ name: 'pending', labels: { team: 'shop' } });
  await deploy(it);
  const theirs = { metadata: { name: 'pending' }, data: { password: encoded('theirs') } };
  await force(theirs);
  it.write({ 'main.ts': program({ name: 'pending', labels: { team: 'office' } }) });
  const { lines, text } = await json(it, ['status']);
  const drift = [{ field: '.data.password', drift: 'ownership-lost' }];
  expect(secretOf(lines), text).toMatchObject({ state: 'drifted', pending: ['.metadata.labels.team'], drift });
});

test('a deploy, a repair and a plan by dry runs need the value', async () => {
  const it = project({ name: 'needed' });
  await deploy(it);
  for (const args of [['deploy'], ['diff'], ['diff', '--output-file', 'plan=plan.json'], ['drift', '--repair', '--yes']]) {
    const { exitCode, stderr } = await it.run(args);
    expect([exitCode, stderr.includes('[reference-missing]')], args.join(' ')).toEqual([2, true]);
  }
});

test.each([
  ['yield', 'unchanged', 'yield', 'in-sync', 0],
  ['fail', 'blocked', 'conflict', 'drifted', 1],
] as const)('under conflicts: %s, a value that somebody else owns is %s: %s', async (conflicts, action, change, state, driftCode) => {
  const it = project({ name: `policy-${conflicts}`, conflicts });
  await deploy(it);
  await force({ metadata: { name: `policy-${conflicts}` }, data: { password: encoded('theirs') } });
  if (conflicts === 'yield') await deploy(it);
  const plan = await json(it, ['diff', '--read-only']);
  expect(secretOf(plan.lines), plan.text).toMatchObject({ notCompared: ['.data.password'] });
  expect(changedFields(secretOf(plan.lines))).toEqual([`${change} .data.password`]);
  const status = await json(it, ['status']);
  expect(secretOf(status.lines), status.text).toMatchObject({ state });
  expect((await it.run(['drift', '--exit-code'])).exitCode).toBe(driftCode);
  expect(secretOf(plan.lines)?.action).toBe(action);
  if (conflicts === 'fail') return;
  await it.run(['diff', '--read-only', '--output-file', 'plan=plan.json']);
  const { exitCode, stderr } = await it.run(['deploy', '--plan', 'plan.json'], { environment });
  expect(exitCode, stderr).toBe(0);
});

describe('a plan that is saved without a value', () => {
  const saved = (name: string, options: Partial<Intent> = {}) => {
    const it = project({ ...options, name });
    return {
      it,
      plan: async () => {
        const run = await it.run(['diff', '--read-only', '--output-file', 'plan=plan.json', '--output-file', 'markdown=plan.md']);
        expect(run.exitCode, run.stderr).toBe(0);
        expect(run.stderr).toContain(`The plan is not bound to .data.password of Secret ${namespace}/${name}`);
        expect(run.stderr).toContain('[value-not-bound]');
        expect(it.read('plan.md')).toMatch(/1 field not compared[\s\S]*\[value-not-compared\]/);
      },
      deploy: (value: string | undefined) =>
        it.run(['deploy', '--plan', 'plan.json'], { environment: value ? { DB_PASSWORD: value } : {} }),
    };
  };
  const live = async (name: string) => (await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', name))).data;

  test('of a new Secret: the deploy needs the value, and creates it', async () => {
    const { plan, deploy: deployPlan } = saved('saved-new');
    await plan();
    const without = await deployPlan(undefined);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('[reference-missing]')]);
    const { exitCode, stderr } = await deployPlan('first-value');
    expect(exitCode, stderr).toBe(0);
    expect(await live('saved-new')).toEqual({ password: encoded('first-value') });
  });

  test('of a Secret of the stack: the deploy sets another value, and does nothing else', async () => {
    const { it, plan, deploy: deployPlan } = saved('saved-changed', { labels: { team: 'shop' } });
    await deploy(it);
    await plan();
    const { exitCode, stderr } = await deployPlan('another-value');
    expect(exitCode, stderr).toBe(0);
    expect(await live('saved-changed')).toEqual({ password: encoded('another-value') });
    // What the plan does compare still binds it.
    await plan();
    await force({ metadata: { name: 'saved-changed', labels: { team: 'theirs' } } });
    const refused = await deployPlan('third-value');
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringMatching(/\.metadata\.labels\.team.*\[plan-outdated\]/)]);
    expect(await live('saved-changed')).toEqual({ password: encoded('another-value') });
  });

  test('of a value that somebody else owns: the deploy takes it from this owner, as the plan shows', async () => {
    const name = 'saved-taken-before';
    const { it, plan, deploy: deployPlan } = saved(name);
    await deploy(it);
    await force({ metadata: { name }, data: { password: encoded('theirs') } });
    await plan();
    expect(it.read('plan.md')).toContain('takes 1 field from vault');
    const { exitCode, stderr } = await deployPlan('ours');
    expect(exitCode, stderr).toBe(0);
    expect(await live(name)).toEqual({ password: encoded('ours') });
  });

  test('of an equal value that somebody else owns: the deploy owns it, too', async () => {
    const name = 'saved-taken-equal';
    const { it, plan, deploy: deployPlan } = saved(name);
    await deploy(it);
    await force({ metadata: { name }, data: { password: encoded('theirs') } });
    await plan();
    const { exitCode, stderr } = await deployPlan('theirs');
    expect(exitCode, stderr).toBe(0);
    expect(await live(name)).toEqual({ password: encoded('theirs') });
  });

  test.each([
    ['somebody else takes after the plan', [], ['vault']],
    ['another one than in the plan owns', ['vault'], ['operator']],
  ])('a value that %s is not taken back', async (_, before, after) => {
    const name = `saved-taken-by-${after.join('')}`;
    const { it, plan, deploy: deployPlan } = saved(name);
    await deploy(it);
    for (const manager of before) await force({ metadata: { name }, data: { password: encoded(manager) } }, manager);
    await plan();
    for (const manager of after) await force({ metadata: { name }, data: { password: encoded(manager) } }, manager);
    const { exitCode, stderr } = await deployPlan('ours');
    expect([exitCode, stderr]).toEqual([4, expect.stringMatching(/\.data\.password.*\[plan-outdated\]/)]);
    expect(await live(name)).toEqual({ password: encoded(after.join('')) });
  });
});

test('a saved plan says that it is not bound to the values that a deploy reads again', async () => {
  const it = project({ name: 'unbound' });
  const saved = await it.run(['diff', '--output-file', 'plan=plan.json'], { environment });
  expect(saved.exitCode, saved.stderr).toBe(0);
  expect(saved.stderr).toContain(
    `The plan is not bound to .data.password of Secret ${namespace}/unbound: a deploy of the plan reads the values again. Give the deploy the values that ` +
      'this plan has read, or plan again after they change. [value-not-bound]',
  );
  const other = 'another-password-nobody-may-see';
  const deployed = await it.run(['deploy', '--plan', 'plan.json'], { environment: { DB_PASSWORD: other } });
  expect(deployed.exitCode, deployed.stderr).toBe(0);
  const live = await testEnvironment.cluster.get({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'unbound', namespace } });
  expect(live.data).toEqual({ password: encoded(other) });
  expect((await it.run(['diff'], { environment })).stderr).not.toContain('[value-not-bound]');
});
