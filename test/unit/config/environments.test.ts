import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { requireEnvironment } from '../../../src/cli/config/chosen-instance.js';
import { type Config, type ConfigFlags, loadConfig } from '../../../src/cli/config/config.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'fieldwise-environments-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const project = `
namespace: shop
context: { color: blue, size: small }
policy: { conflicts: fail }
environments:
  dev: { cluster: embedded }
  staging: { instance: stage, kubeContext: stage-cluster, namespace: stage, context: { color: red } }
  prod: { kubeContext: prod-cluster, clusterUid: 1-2, policy: { adopt: true }, prune: true }
`;
const home =
  'namespace: home\ninstance: home\nenvironments: { prod: { kubeContext: mine, kubeconfig: mine.yaml }, lab: { kubeContext: lab } }\n';

interface Files {
  readonly project?: string;
  readonly home?: string;
}

function load(flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = {}, files: Files = { project }): Promise<Config> {
  const write = (path: string, text: string | undefined) => {
    if (text === undefined) return;
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  write('fieldwise.yaml', files.project);
  write('home/.config/fieldwise/config.yaml', files.home);
  return loadConfig({ cwd, flags, env: { HOME: join(cwd, 'home'), ...env } });
}

test.each<{ what: string; flags?: ConfigFlags; env?: NodeJS.ProcessEnv; files?: Files; config: object }>([
  { what: 'no environment', config: { namespace: 'shop', environments: ['dev', 'staging', 'prod'], overridden: [] } },
  {
    what: '--env',
    flags: { env: 'staging' },
    config: {
      environment: 'staging',
      instance: 'stage',
      requestedInstance: 'stage',
      kubeContext: 'stage-cluster',
      namespace: 'stage',
      context: { color: 'red', size: 'small' },
    },
  },
  {
    what: 'FIELDWISE_ENV, and the instance has its name',
    env: { FIELDWISE_ENV: 'prod' },
    config: { environment: 'prod', instance: 'prod', namespace: 'shop', prune: true, policy: { conflicts: 'fail', deleteExisting: true } },
  },
  { what: '--env before FIELDWISE_ENV', flags: { env: 'dev' }, env: { FIELDWISE_ENV: 'prod' }, config: { environment: 'dev' } },
  { what: 'env of the project', files: { project: `env: dev\n${project}` }, config: { environment: 'dev', cluster: 'embedded' } },
  {
    what: 'FIELDWISE_ENV before env of the project',
    env: { FIELDWISE_ENV: 'staging' },
    files: { project: `env: dev\n${project}` },
    config: { environment: 'staging' },
  },
  {
    what: 'env of the user, and an environment of the user',
    files: { project, home: `env: lab\n${home}` },
    config: { environment: 'lab', kubeContext: 'lab', instance: 'lab', namespace: 'shop', environments: ['dev', 'staging', 'prod', 'lab'] },
  },
  {
    what: 'the project before the user, key by key',
    flags: { env: 'prod' },
    files: { project, home },
    config: { kubeContext: 'prod-cluster', kubeconfig: expect.stringMatching(/mine\.yaml$/), instance: 'prod', namespace: 'shop' },
  },
  { what: 'an instance at the top', flags: { env: 'prod' }, files: { project: `instance: eu\n${project}` }, config: { instance: 'eu' } },
  {
    what: 'flags before the environment',
    flags: { env: 'staging', instance: 'other', kubeContext: 'c', namespace: 'n', context: ['color=green'] },
    config: {
      instance: 'other',
      requestedInstance: 'other',
      kubeContext: 'c',
      namespace: 'n',
      context: { color: 'green', size: 'small' },
      overridden: [],
    },
  },
  {
    what: 'variables before the environment, which is reported',
    flags: { env: 'staging', namespace: 'n' },
    env: { FIELDWISE_KUBE_CONTEXT: 'c', FIELDWISE_INSTANCE: 'stage', FIELDWISE_NAMESPACE: 'other' },
    config: { kubeContext: 'c', overridden: ['kubeContext'] },
  },
  {
    what: 'a context of the kubeconfig, not the embedded cluster of the project',
    flags: { env: 'staging' },
    files: { project: `cluster: embedded\n${project}` },
    config: { cluster: undefined, kubeContext: 'stage-cluster' },
  },
])('$what', async ({ flags, env, files, config }) => {
  const loaded = await load(flags, env, files);
  for (const [key, value] of Object.entries(config)) expect(loaded[key as keyof Config], key).toEqual(value);
});

test.each<{ what: string; flags?: ConfigFlags; env?: NodeJS.ProcessEnv; files?: Files; output: string }>([
  { what: 'a directory for each environment', flags: { env: 'dev' }, output: 'dist/dev' },
  { what: 'below the configured one', flags: { env: 'dev' }, files: { project: `output: out\n${project}` }, output: 'out/dev' },
  { what: 'the one of the flag', flags: { env: 'dev', outdir: 'o' }, output: 'o' },
  { what: 'the one of the variable', flags: { env: 'dev' }, env: { FIELDWISE_OUTPUT: 'v' }, output: 'v' },
  { what: 'apart from those of environments', flags: { instance: '../x' }, output: 'dist/instance-..%2Fx' },
  { what: 'dist without environments', files: { project: 'instance: a\n' }, output: 'dist' },
])('writes to $output: $what', async ({ flags, env, files, output }) => {
  expect((await load(flags, env, files)).output).toBe(join(cwd, output));
});

test.each<{ what: string; flags?: ConfigFlags; env?: NodeJS.ProcessEnv; project?: string; message: RegExp }>([
  {
    what: 'a kubeconfig beside the embedded server of the environment',
    flags: { env: 'dev', kubeconfig: 'prod.yaml' },
    message: /The environment dev selects the embedded API server, so `--kubeconfig` selects nothing.*by `-e`.*\[?/,
  },
  {
    what: 'a kubeconfig of the variable beside the embedded server of the environment',
    flags: { env: 'dev' },
    env: { FIELDWISE_KUBECONFIG: 'prod.yaml' },
    message: /The environment dev selects the embedded API server, so `FIELDWISE_KUBECONFIG` selects nothing.*by `-e`/,
  },
  {
    what: 'a context beside the embedded server of the project',
    flags: { kubeContext: 'prod' },
    project: 'cluster: embedded\n',
    message: /The configuration selects the embedded API server, so `--kube-context` selects nothing/,
  },
  {
    what: 'a kubeconfig beside the embedded server of the same command',
    flags: { env: 'staging', cluster: 'embedded', kubeconfig: 'prod.yaml' },
    message: /The command selects the embedded API server, so `--kubeconfig` selects nothing.*Leave out one of them/,
  },
  {
    what: 'an unknown environment',
    flags: { env: 'prd' },
    message:
      /^`--env` chooses the environment prd, which is not configured\. Where: fieldwise\.yaml\. The environments are dev, staging, prod\.$/,
  },
  { what: 'a name of JavaScript', flags: { env: 'constructor' }, message: /The environments are dev, staging, prod/ },
  { what: 'an empty name', flags: { env: '' }, message: /The environments are dev, staging, prod/ },
  {
    what: 'an unknown one of the variable',
    env: { FIELDWISE_ENV: 'prd' },
    message: /^The environment variable FIELDWISE_ENV chooses .* prd/,
  },
  { what: 'none configured', flags: { env: 'prod' }, project: 'name: a\n', message: /none is configured.*environments: \{ prod: \{/ },
  { what: 'several', flags: { env: 'dev,prod' }, message: /names several environments.*`fieldwise diff` takes several/ },
  {
    what: 'an unknown key',
    project: 'environments:\n  prod:\n    kubecontext: x\n',
    message: /`environments\.prod\.kubecontext` is not a key.*kubeContext.*fieldwise\.yaml:3:5/,
  },
  {
    what: 'a name with a comma',
    project: 'environments: { "a,b": {} }\n',
    message: /is not a name of an environment.*fieldwise\.yaml:1:17/,
  },
  { what: 'a wrong policy', project: 'environments: { a: { policy: { conflicts: no } } }\n', message: /fieldwise\.yaml:1:22/ },
  { what: 'an empty environment', project: 'environments: { a: }\n', message: /`environments\.a` must be a map/ },
])('refuses $what', async ({ flags, env, project: text = project, message }) => {
  const error = await load(flags, env, { project: text }).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error?.kind).toBe('usage');
  expect(error?.describe()).toMatch(message);
});

test.each<{ flags?: ConfigFlags; env?: NodeJS.ProcessEnv; project?: string; missing: boolean }>([
  { missing: true },
  { flags: { kubeContext: 'prod-cluster', context: ['instance=prod'] }, missing: true },
  { project: `instance: eu\n${project}`, missing: true },
  { flags: { env: 'dev' }, missing: false },
  { flags: { instance: 'review' }, missing: false },
  { env: { FIELDWISE_INSTANCE: 'review' }, missing: false },
  { project: 'name: a\n', missing: false },
])('an environment is missing with $flags, $env: $missing', async ({ flags, env, project: text = project, missing }) => {
  const config = await load(flags, env, { project: text });
  const check = () => requireEnvironment(config);
  if (missing)
    expect(check).toThrow(expect.objectContaining({ code: 'environment-missing', next: expect.stringMatching(/dev, staging, prod/) }));
  else expect(check).not.toThrow();
});

it('knows the pins of all environments, and whose the run is', async () => {
  expect((await load({ env: 'prod' })).pin).toEqual({
    environment: 'prod',
    uid: '1-2',
    source: 'fieldwise.yaml:8:38',
    environments: new Map([['1-2', ['prod']]]),
  });
  expect((await load({ env: 'staging' })).pin).toEqual({ environment: 'staging', environments: new Map([['1-2', ['prod']]]) });
  expect((await load({ env: 'dev' })).pin?.environments.size).toBe(1);
  expect((await load({ env: 'prod', cluster: 'embedded' })).pin).toBeUndefined();
  expect((await load({}, {}, { project: 'environments: { a: {} }' })).pin).toBeUndefined();
});
