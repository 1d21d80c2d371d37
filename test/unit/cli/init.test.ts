import { rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { Project } from '../../harness/project.js';

const projects: Project[] = [];
afterEach(() => {
  for (const { directory } of projects.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function project(files: Readonly<Record<string, string>> = {}): Project {
  const made = new Project(files, {});
  projects.push(made);
  return made;
}

it('makes a project that synth takes, and says what comes next', async () => {
  const made = project();
  const { exitCode, stdout, stderr } = await made.run(['init', 'shop']);
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toBe(`Written: fieldwise.yaml, main.ts, tsconfig.json, .gitignore, package.json

Next:
  cd shop
  npm install
  npx fieldwise synth
  npx fieldwise deploy --cluster embedded

The last command needs no cluster. Without \`--cluster embedded\`, it deploys to the cluster of your kubeconfig.
`);
  expect(JSON.parse(made.read('shop/package.json'))).toEqual({
    name: 'shop',
    private: true,
    type: 'module',
    devDependencies: {
      fieldwise: expect.any(String),
      cdk8s: expect.any(String),
      constructs: expect.any(String),
      typescript: expect.any(String),
    },
  });
  const synth = await made.run(['synth'], { in: 'shop' });
  expect(synth.exitCode, synth.stderr).toBe(0);
  expect(synth.stdout).toContain('shop, instance default: 1 stack, 1 object in dist');
  expect(synth.stderr).toBe('');
});

it('overwrites nothing, and leaves a package.json alone', async () => {
  const made = project({ 'package.json': '{"type":"module"}', 'one/main.ts': 'mine', 'two/package.json': '{}' });
  const refused = await made.run(['init', 'one']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('The directory already contains main.ts');
  expect(refused.stderr).toContain('[init-exists]');
  expect(made.files('one')).toEqual(['main.ts']);
  expect(made.read('one/main.ts')).toBe('mine');
  expect((await made.run(['init', 'two'])).exitCode).toBe(0);
  expect(made.read('two/package.json')).toBe('{}');
});
