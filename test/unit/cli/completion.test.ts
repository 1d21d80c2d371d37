import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandLine, fieldwise } from '../../harness/fieldwise.js';

const cwd = mkdtempSync(join(tmpdir(), 'fieldwise-completion-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'fieldwise.yaml'), 'environments: { staging: {}, prod: {} }\noutput: out\n');
for (const directory of ['out', 'out/instance-']) mkdirSync(join(cwd, directory), { recursive: true });
const stacks = [{ name: 'web' }, { name: 'web-admin' }, { name: '$(touch pwned)' }];
writeFileSync(join(cwd, 'out/instance-/manifest.json'), JSON.stringify({ stacks }));
const context = (name: string) => ({ name, context: { cluster: 'c', user: 'u' } });
const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [context('home'), context('work')],
};
writeFileSync(join(cwd, 'kubeconfig'), JSON.stringify(kubeconfig));
const script = async (shell: string) => (await fieldwise(['completion', shell], { cwd })).stdout;
const bash = await script('bash');

/** What bash offers after these words, the last of which is not finished. */
function offered(...words: string[]): string[] {
  const list = words.map((word) => `'${word}'`).join(' ');
  const text = `fieldwise() { '${process.execPath}' '${commandLine}' "$@"; }\n${bash}\nCOMP_WORDS=(fieldwise ${list}); COMP_CWORD=${words.length}; _fieldwise; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', text], {
    encoding: 'utf8',
    cwd,
    env: { PATH: process.env.PATH, KUBECONFIG: join(cwd, 'kubeconfig') },
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

/** The environment and the list for which the shell asks after these words. */
function asked(...words: string[]): string {
  const list = words.map((word) => `'${word}'`).join(' ');
  const text = `fieldwise() { echo "\${FIELDWISE_ENV:-none}:$2"; }\n${bash}\nCOMP_WORDS=(fieldwise ${list}); COMP_CWORD=${words.length}; _fieldwise; echo "\${COMPREPLY[0]}"`;
  return spawnSync('bash', ['--norc', '-c', text], { encoding: 'utf8', env: { PATH: process.env.PATH } }).stdout.trim();
}

it.each([
  [['rollback', '--run', ''], 'none:runs'],
  [['rollback', '-e', 'prod', '--run', ''], 'prod:runs'],
  [['deploy', '--env', '=', 'prod', 'web', ''], 'prod:stacks'],
])('after %j, bash asks for the list of the environment', (words, expected) => {
  expect(asked(...words)).toBe(expected);
});

describe('completion in bash', () => {
  it.each<[string[], string[]]>([
    [['sy'], ['synth']],
    [
      ['cluster', 'sta'],
      ['start', 'status'],
    ],
    [['synth', '--std'], ['--stdout']],
    [
      ['synth', '--for', ''],
      ['argocd', 'flux'],
    ],
    [['synth', '--verb'], ['--verbose']],
    [['-q', 'dep'], ['deploy']],
    [['deploy', 'a-stack', '--dele'], ['--delete']],
    [
      ['deploy', '-o', ''],
      ['text', 'markdown', 'json', 'junit', 'sarif'],
    ],
    [['diff', '--strategy', 'd'], ['dynamic']],
    [
      ['diff', '-e', ''],
      ['staging', 'prod'],
    ],
    [['deploy', 'web', '--kube-context', 'w'], ['work']],
    [
      ['deploy', 'w'],
      ['web', 'web-admin'],
    ],
    [
      ['adopt', 'w'],
      ['web', 'web-admin'],
    ],
    [['completion', 'b'], ['bash']],
    [['diff', '--output-file', 'm'], ['markdown=']],
    [['list', '--output-file', ''], ['html=']],
    [
      ['list', '-o', ''],
      ['text', 'json'],
    ],
    [
      ['destroy', '--delete', 's'],
      ['shared', 'shared,foreign'],
    ],
    [
      ['owners', 'w'],
      ['web', 'web-admin'],
    ],
    [
      ['rollback', '3', 'w'],
      ['web', 'web-admin'],
    ],
    [['status', '--cluster', ''], ['embedded']],
    [['deploy', '--rules', ''], []],
  ])('%j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  it('offers nothing, and says nothing, where names cannot be read', () => {
    writeFileSync(join(cwd, 'kubeconfig'), '[');
    expect(offered('deploy', '--kube-context', '')).toEqual([]);
  });
});

it('of zsh uses that of bash, of fish has every command with its description', async () => {
  expect(await script('zsh')).toContain(bash);
  const fish = await script('fish');
  expect(fish).toContain("-a synth -d 'run the program and write the objects");
  expect(fish).toMatch(/__fish_seen_subcommand_from synth' -s p -l stdout -d '/);
  expect(fish).toMatch(/__fish_seen_subcommand_from cluster; and not __fish_seen_subcommand_from .*' -a start -d '/);
});

it('makes no data of an embedded server that was never started', async () => {
  const project = mkdtempSync(join(cwd, 'fresh-'));
  mkdirSync(join(project, 'dist'));
  writeFileSync(join(project, 'fieldwise.yaml'), 'cluster: embedded\n');
  writeFileSync(
    join(project, 'dist/manifest.json'),
    JSON.stringify({ app: 'a', instance: 'default', stacks: [{ name: 'web', manager: 'm' }] }),
  );
  expect(await fieldwise(['completion', 'runs'], { cwd: project })).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  expect(existsSync(join(project, '.fieldwise'))).toBe(false);
});

it('of another shell is a usage error', async () => {
  expect((await fieldwise(['completion', 'tcsh'], { cwd })).exitCode).toBe(2);
});
