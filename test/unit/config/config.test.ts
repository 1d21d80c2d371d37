import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfigFlags, loadConfig } from '../../../src/cli/config/config.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'fieldwise-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const write = (path: string, content: string) => {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), content);
};
const load = (flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = {}) => loadConfig({ cwd, flags, env: { HOME: join(cwd, 'home'), ...env } });

describe('loadConfig', () => {
  it('has defaults without any file', async () => {
    expect(await load()).toEqual({
      output: join(cwd, 'dist'),
      environments: [],
      overridden: [],
      imports: [],
      listTypes: [],
      context: {},
      policy: {},
      prune: false,
      tracking: 'none',
      programTimeout: 600,
      independent: [],
      reconcile: 'auto',
      inventory: { namespace: 'fieldwise-system' },
      gitops: {},
      guard: {},
      history: { keep: 10, maxBytes: 4 * 2 ** 20 },
      directory: cwd,
    });
  });

  it('reads admission, and its former name', async () => {
    write('fieldwise.yaml', 'admission: rules\n');
    expect(await load()).toMatchObject({ admission: join(cwd, 'rules') });
    write('fieldwise.yaml', 'name: shop\npolicies: rules\n');
    expect(await load()).toMatchObject({ admission: join(cwd, 'rules'), policiesAt: 'fieldwise.yaml:2:1' });
  });

  it('reads every key of fieldwise.yaml, paths relative to it', async () => {
    write('main.ts', '');
    write('crds/gateway.yaml', '');
    write(
      'fieldwise.yaml',
      `
app: main.ts
output: out
imports: [crds/gateway.yaml, k8s, github:owner/repo@v1]
listTypes: ['Gateway:.spec.listeners=map[port]']
name: shop
instance: staging
context: { tag: v1, replicas: 2 }
kubeContext: kind
kubeconfig: kubeconfig.yaml
namespace: edge
policy: { conflicts: fail, fields: { spec.replicas: { conflicts: yield } } }
prune: true
tracking: annotation
reconcile: changed
programTimeout: 60
independent: ['review-*']
inventory: { namespace: state }
history: { keep: 3 }
`,
    );
    expect(await load()).toEqual({
      app: join(cwd, 'main.ts'),
      output: join(cwd, 'out'),
      environments: [],
      overridden: [],
      imports: ['crds/gateway.yaml', 'k8s', 'github:owner/repo@v1'],
      listTypes: ['Gateway:.spec.listeners=map[port]'],
      name: 'shop',
      instance: 'staging',
      context: { tag: 'v1', replicas: 2 },
      kubeContext: 'kind',
      kubeconfig: join(cwd, 'kubeconfig.yaml'),
      namespace: 'edge',
      policy: { conflicts: 'fail', fields: { '.spec.replicas': { conflicts: 'yield' } } },
      prune: true,
      tracking: 'annotation',
      programTimeout: 60,
      independent: ['review-*'],
      reconcile: 'changed',
      inventory: { namespace: 'state' },
      gitops: {},
      guard: {},
      history: { keep: 3, maxBytes: 4 * 2 ** 20 },
      file: 'fieldwise.yaml',
      directory: cwd,
    });
  });

  it('lets flags win over environment, project and home, member by member where there are members', async () => {
    write(
      'home/.config/fieldwise/config.yaml',
      'name: home\ninstance: home\nkubeContext: home\nnamespace: home\ncontext: { a: home, b: home, c: home, d: home }\n',
    );
    write(
      'fieldwise.yaml',
      'name: project\ninstance: project\nkubeContext: project\ncontext: { a: project, b: project, c: project }\npolicy: { conflicts: fail, adopt: true }\n',
    );
    const config = await load(
      { name: 'flag', context: ['a=flag=1'], policy: { conflicts: 'force' } },
      {
        FIELDWISE_APP_NAME: 'env',
        FIELDWISE_INSTANCE: 'env',
        FIELDWISE_CONTEXT: '{"a":"env","b":"env"}',
        FIELDWISE_PRUNE: 'true',
        FIELDWISE_OUTPUT: 'env',
      },
    );
    expect(config).toMatchObject({
      name: 'flag',
      instance: 'env',
      kubeContext: 'project',
      namespace: 'home',
      prune: true,
      output: join(cwd, 'env'),
      context: { a: 'flag=1', b: 'env', c: 'project', d: 'home' },
      policy: { conflicts: 'force', deleteExisting: true },
    });
  });

  it('takes another file by --config, and runs the program beside it', async () => {
    write('deploy/prod.yaml', 'app: npx tsx main.ts\nname: shop\n');
    expect(await load({ config: 'deploy/prod.yaml' })).toMatchObject({
      app: 'npx tsx main.ts',
      output: join(cwd, 'deploy', 'dist'),
      directory: join(cwd, 'deploy'),
      file: 'deploy/prod.yaml',
    });
  });

  it.each([
    [
      'an unknown key',
      'name: shop\noutdir: x\n',
      'fieldwise.yaml:2:1',
      '`outdir` is not a key of a configuration file; the keys are app, output,',
    ],
    [
      'an unknown key inside',
      'inventory:\n  name: x\n',
      'fieldwise.yaml:2:3',
      '`inventory.name` is not a key of a configuration file; the keys are namespace',
    ],
    ['a value of a wrong type', 'name: shop\nprune: "yes"\n', 'fieldwise.yaml:2:1', '`prune` must be true or false'],
    ['a list item of a wrong type', 'imports:\n  - a\n  - 1\n', 'fieldwise.yaml:3:5', '`imports.1` must be text'],
    ['a list', '- a\n', 'fieldwise.yaml:1:1', 'must be a map'],
    ['broken YAML', 'name: shop\npolicy: { conflicts: fail\nprune: true\n', 'fieldwise.yaml:', 'it is not YAML'],
    ['a key twice', 'name: a\nname: b\n', 'fieldwise.yaml:2:1', 'it is not YAML: Map keys must be unique'],
    ['both names of one key', 'admission: a\npolicies: b\n', 'fieldwise.yaml:2:1', '`policies` is the former name of `admission`'],
  ])('refuses %s with its line', async (_, content, file, reason) => {
    write('fieldwise.yaml', content);
    const error = await load().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'config-invalid', kind: 'usage', location: { file: expect.stringContaining(file) } });
    expect(error.message).toContain(reason);
  });

  it('refuses a wrong policy with its line', async () => {
    write('fieldwise.yaml', 'name: shop\npolicy:\n  conflicts: never\n');
    await expect(load()).rejects.toMatchObject({ code: 'policy-invalid', location: { file: 'fieldwise.yaml:2:1' } });
  });

  it.each([
    [{ config: 'nope.yaml' }, {}, 'config-not-found'],
    [{ context: ['novalue'] }, {}, 'flag-invalid'],
    [{}, { FIELDWISE_POLICY: '{"conflicts":"never"}' }, 'policy-invalid'],
  ])('refuses flags %j and environment %j', async (flags, env, code) => {
    await expect(load(flags, env)).rejects.toMatchObject({ code });
  });
});
