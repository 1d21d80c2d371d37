import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { importApp } from '../../../codegen/import-app.js';
import { leftoverApps } from '../../../codegen/leftover-apps.js';
import { writeAll } from '../../../src/cli/files/write-all.js';
import { Project } from '../../harness/project.js';
import { noTerminal } from '../../harness/terminal.js';

const projects: Project[] = [];
afterEach(() => {
  for (const { directory } of projects.splice(0)) rmSync(directory, { recursive: true, force: true });
});

const main = `import { Construct } from 'constructs';
import { App, Chart, ChartProps } from 'cdk8s';

export class MyChart extends Chart {
  constructor(scope: Construct, id: string, props: ChartProps = { }) {
    super(scope, id, props);
  }
}

const app = new App();
new MyChart(app, 'shop');
app.synth();
`;
const migrated = main.replace(
  "import { App, Chart, ChartProps } from 'cdk8s';",
  "import { Chart, ChartProps } from 'cdk8s';\nimport { App } from 'fieldwise';",
);
const files = { 'package.json': '{ "name": "shop" }\n', 'cdk8s.yaml': 'language: typescript\napp: npx ts-node main.ts\n', 'main.ts': main };

/** A project in a repository of Git, committed. */
function committed(added: Readonly<Record<string, string>> = {}): Project {
  const made = new Project({ '.gitignore': 'node_modules', ...files, ...added }, {});
  projects.push(made);
  git(made, 'init', '--quiet');
  commit(made);
  return made;
}

function git(made: Project, ...words: string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'core.autocrlf=false'];
  return execFileSync('git', [...who, ...words], { cwd: made.directory, encoding: 'utf8' });
}

function commit(made: Project): void {
  git(made, 'add', '--all');
  git(made, 'commit', '--quiet', '--message', 'a project');
}

test('shows the edits, makes them, and finds nothing more to do', async () => {
  const made = committed();
  const { exitCode, stdout, stderr } = await made.run(['init', '--migrate', '--yes']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`--- a/main.ts
+++ b/main.ts
@@ -1,5 +1,6 @@
 import { Construct } from 'constructs';
-import { App, Chart, ChartProps } from 'cdk8s';
+import { Chart, ChartProps } from 'cdk8s';
+import { App } from 'fieldwise';
`);
  expect(stdout).toContain('Written: main.ts, fieldwise.yaml, .gitignore\n\nNext:\n  npx fieldwise deploy\n');
  expect(made.read('.gitignore')).toBe('node_modules\n.fieldwise/\n');
  expect(made.read('main.ts')).toBe(migrated);
  expect(made.read('fieldwise.yaml')).toMatch(/^name: shop\nid: shop-[0-9a-f]{10} /m);
  const again = await made.run(['init', '--migrate', '--yes']);
  expect([again.exitCode, again.stdout]).toEqual([
    0,
    'Nothing is to be done: App is imported from fieldwise, and fieldwise.yaml is there.\n',
  ]);
  const synth = await made.run(['synth', '-a', 'main.ts']);
  expect([synth.exitCode, synth.stderr]).toEqual([0, expect.not.stringContaining('error')]);
});

test('after a deploy to an environment, the program of the project still writes its own output, and leaves that of the environment', async () => {
  const program = "import { App, Chart } from 'cdk8s';\nconst app = new App();\nnew Chart(app, 'shop');\napp.synth();\n";
  const made = committed({ 'main.mjs': program, 'dist/old.k8s.yaml': 'kind: ConfigMap\n' });
  expect((await made.run(['init', '--migrate', '--yes'])).exitCode).toBe(0);
  expect((await made.run(['synth', '-a', 'main.mjs'])).exitCode).toBe(0);
  const environment = made.read('dist/dev/manifest.json');
  for (const _ of ['over the YAML of cdk8s', 'over its own']) {
    execFileSync(process.execPath, ['main.mjs'], { cwd: made.directory, stdio: 'pipe' });
    expect(made.files('dist')).toEqual(expect.arrayContaining(['dev', 'manifest.json', 'shop.yaml']));
    expect(made.files('dist')).not.toContain('old.k8s.yaml');
    expect(made.read('dist/dev/manifest.json')).toBe(environment);
  }
});

test('writes nothing unless it is confirmed', async () => {
  const made = committed();
  const { exitCode, stdout, stderr } = await made.run(['init', '--migrate']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('confirmation required for main.ts, fieldwise.yaml, .gitignore')]);
  expect(stdout).toContain("+import { App } from 'fieldwise';");
  expect(git(made, 'status', '--porcelain')).toBe('');
});

if (noTerminal !== undefined) console.log(`skipped, the question of init --migrate: ${noTerminal}`);
test.skipIf(noTerminal !== undefined)('n at the question ends with one line, and changes nothing', async () => {
  const made = committed();
  const { exitCode, screen } = await made.runAtTerminal(['init', '--migrate'], ['n\r']);
  expect([exitCode, screen.split('[y/N] ')[1]?.trim().split(/\s*\n/)]).toEqual([2, ['n', 'Nothing was changed.']]);
  expect(git(made, 'status', '--porcelain')).toBe('');
});

const signalAtWrite = `
const files = require('node:fs/promises');
const { rename } = files;
files.rename = async (...words) => {
  files.rename = rename;
  process.kill(process.pid, process.env.SIGNAL);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return rename(...words);
};
`;

test.each(['SIGINT', 'SIGTERM'])('%s while files are written undoes all, and says so', async (SIGNAL) => {
  const made = committed({ 'other.ts': main });
  writeFileSync(join(outside, 'signal.cjs'), signalAtWrite);
  const environment = { SIGNAL, NODE_OPTIONS: `--require ${join(outside, 'signal.cjs')}` };
  const { exitCode, stderr } = await made.run(['init', '--migrate', '--yes'], { asProcess: true, environment });
  expect([exitCode, stderr]).toEqual([130, expect.stringContaining('error: Interrupted: every file is as it was. [interrupted]')]);
  expect(git(made, 'status', '--porcelain')).toBe('');
  expect(made.files('.git')).not.toContain('fieldwise-migration.json');
});

describe('in a workspace', () => {
  const root = { 'package.json': '{ "name": "all", "workspaces": ["packages/*"] }\n', 'main.ts': 'export {};\n', 'cdk8s.yaml': '{}\n' };
  const inPackage = (name: string) => ({
    [`packages/${name}/package.json`]: `{ "name": "${name}" }\n`,
    [`packages/${name}/src/main.ts`]: main,
  });

  test('the package that has the program is edited', async () => {
    const made = committed({ ...root, ...inPackage('shop'), 'packages/other/package.json': '{}\n' });
    const { exitCode, stdout } = await made.run(['init', '--migrate', '--yes']);
    expect([exitCode, git(made, 'status', '--porcelain', '-uall').trim().split('\n')]).toEqual([
      0,
      ['M packages/shop/src/main.ts', '?? packages/shop/.gitignore', '?? packages/shop/fieldwise.yaml'],
    ]);
    expect(stdout).toMatch(/^The program is in packages\/shop, so that is the project\.\n--- a\/src\/main\.ts\n/);
    expect(stdout).toContain('Next:\n  cd packages/shop\n  npx fieldwise deploy\n');
    expect(made.read('packages/shop/fieldwise.yaml')).toMatch(/^name: shop\n/m);
    expect((await made.run(['init', '--migrate', '--yes'])).stdout).toContain('Nothing is to be done');
  });

  test('chooses the one that is left, and says that nothing is left', async () => {
    const made = committed({ ...root, ...inPackage('shop'), ...inPackage('blog') });
    const migrate = (...words: string[]) => made.run(['init', '--migrate', ...words, '--yes']);
    expect((await migrate('packages/shop')).exitCode).toBe(0);
    git(made, 'add', '-A');
    git(made, 'commit', '-qm', 'migrated');
    const second = await migrate();
    expect([second.exitCode, second.stderr]).toEqual([0, '']);
    expect(made.read('packages/blog/src/main.ts')).toContain("from 'fieldwise'");
    const third = await migrate();
    expect([third.exitCode, third.stdout]).toEqual([0, expect.stringContaining('Nothing is to be done')]);
  });

  test('a directory that is not there is named, not Git', async () => {
    const { exitCode, stderr } = await committed(root).run(['init', '--migrate', 'packages/none']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/There is no such directory.*packages\/none.*\[input-missing\]/)]);
  });

  test('of several packages with a program each is named, and nothing is written', async () => {
    const made = committed({ ...root, ...inPackage('shop'), ...inPackage('blog') });
    const { exitCode, stderr } = await made.run(['init', '--migrate', '--yes']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('make an App of cdk8s: packages/blog, packages/shop.')]);
    expect(stderr).toContain('`npx fieldwise init --migrate packages/blog`, `npx fieldwise init --migrate packages/shop`.');
    expect(git(made, 'status', '--porcelain')).toBe('');
  });

  test('a program of the root is edited alone, and the others are named', async () => {
    const made = committed({ ...inPackage('shop') });
    const { exitCode, stdout } = await made.run(['init', '--migrate', '--yes']);
    expect([exitCode, made.read('packages/shop/src/main.ts')]).toEqual([0, main]);
    expect(stdout).toContain('Another program is in packages/shop: run `npx fieldwise init --migrate packages/shop` for it.\n');
  });
});

test('what still uses App of cdk8s is named with file and line', async () => {
  const made = committed({ 'build.js': "const cdk8s = require('cdk8s');\n\nnew cdk8s.App();\n" });
  const { exitCode, stdout } = await made.run(['init', '--migrate', '--yes']);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining('App of cdk8s is still used at build.js:3: import it from fieldwise by hand'),
  ]);
  const required = committed({ 'main.ts': "const { App } = require('cdk8s');\nnew App();\n" });
  const refused = await required.run(['init', '--migrate', '--yes']);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/by an import; App of cdk8s is used otherwise at main\.ts:2\. /),
  ]);
});

test('no commit takes the signing key of the embedded server, with or without a .gitignore before', async () => {
  const made = committed();
  rmSync(join(made.directory, '.gitignore'));
  commit(made);
  expect((await made.run(['init', '--migrate', '--yes'])).stdout).toContain('+++ b/.gitignore\n');
  made.write({ '.fieldwise/embedded/identity.json': '{}' });
  git(made, 'add', '--all');
  expect(git(made, 'diff', '--cached', '--name-only').trim().split('\n')).toEqual(['.gitignore', 'fieldwise.yaml', 'main.ts']);
  const again = await made.run(['init', '--migrate', '--yes']);
  expect(again.stdout).toMatch(/^Nothing is to be done: .*there\.\n$/);
});

test('says that the package is to be installed where it is not', async () => {
  const made = committed();
  rmSync(join(made.directory, 'node_modules'), { recursive: true });
  expect((await made.run(['init', '--migrate', '--yes'])).stdout).toContain('Next:\n  npm install fieldwise\n  npx fieldwise deploy\n');
});

test('a .gitignore that Git could not restore stays as it is, and the output says what it lacks', async () => {
  const made = committed();
  chmodSync(join(made.directory, '.gitignore'), 0o444);
  const { exitCode, stdout } = await made.run(['init', '--migrate', '--yes']);
  expect([exitCode, made.read('.gitignore')]).toEqual([0, 'node_modules']);
  expect(stdout).toContain('Add .fieldwise/ to .gitignore, which is read-only: it contains a private key.\n');
});

test('a .gitignore that was deleted is not written again, and the output says what it lacks', async () => {
  const made = committed();
  rmSync(join(made.directory, '.gitignore'));
  const { exitCode, stdout } = await made.run(['init', '--migrate', '--yes']);
  expect([exitCode, made.files('.').includes('.gitignore')]).toEqual([0, false]);
  expect(stdout).toContain(
    'Add .fieldwise/ to .gitignore, which has been deleted, and the deletion is not committed: it contains a private key.',
  );
});

const journalOf = (name: string) => (root: string) =>
  JSON.stringify({ root, pid: 2 ** 30, files: [{ name, old: 'theirs', text: 'mine' }] });
test.each([
  { what: 'is damaged', journal: () => '{"pid":' },
  { what: 'names a file outside', journal: journalOf(`../${'victim'}`) },
  { what: 'names a link', journal: journalOf('linked') },
  { what: 'names a file behind a link', journal: journalOf('directory/victim') },
])('a journal that $what is refused', async ({ journal }) => {
  const made = committed();
  const victim = join(outside, 'victim');
  writeFileSync(victim, 'mine');
  symlinkSync(victim, join(made.directory, 'linked'));
  symlinkSync(outside, join(made.directory, 'directory'));
  made.write({ '.git/fieldwise-migration.json': journal(realpathSync(made.directory)) });
  const { exitCode, stderr } = await made.run(['init', '--migrate', '--yes']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/The journal is not what an interrupted run leaves/)]);
  expect([readFileSync(victim, 'utf8'), made.read('main.ts')]).toEqual(['mine', main]);
});

test('a file that was changed after a run had been killed stays as it is, and is named', async () => {
  const made = committed();
  const journal = {
    root: realpathSync(made.directory),
    pid: 2 ** 30,
    files: [
      { name: 'main.ts', old: main, text: migrated },
      { name: 'new.ts', text: 'mine' },
    ],
  };
  made.write({ 'main.ts': `${migrated}// mine\n`, 'new.ts': 'mine', '.git/fieldwise-migration.json': JSON.stringify(journal) });
  const { exitCode, stdout, stderr } = await made.run(['init', '--migrate', '--yes']);
  expect(stdout).toMatch(
    /^The migration before ended in the middle: its edits of new\.ts were undone\. main\.ts changed since, and stays as it is\.\n/,
  );
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(made.read('main.ts')).toBe(`${migrated}// mine\n`);
  expect(made.files('.')).not.toContain('new.ts');
});

const outside = mkdtempSync(join(tmpdir(), 'fieldwise-outside-'));
afterAll(() => rmSync(outside, { recursive: true }));
const refused: readonly { what: string; prepare: (made: Project) => void; message: RegExp; code?: string }[] = [
  {
    what: 'a changed file',
    prepare: (made) => made.write({ 'main.ts': `${main}// mine\n` }),
    message: /main\.ts has changes that are not committed/,
  },
  {
    what: 'a staged file',
    prepare: (made) => {
      made.write({ 'main.ts': `${main}// mine\n` });
      git(made, 'add', '--all');
    },
    message: /main\.ts has changes/,
  },
  { what: 'an untracked file', prepare: (made) => made.write({ 'src/other.ts': main }), message: /src\/other\.ts is not tracked by Git/ },
  {
    what: 'a link to a file outside',
    prepare: (made) => {
      writeFileSync(join(outside, 'linked.ts'), main);
      symlinkSync(join(outside, 'linked.ts'), join(made.directory, 'linked.ts'));
      commit(made);
    },
    message: /linked\.ts is a link/,
  },
  {
    what: 'a directory that has become a link',
    prepare: (made) => {
      made.write({ 'src/app.ts': main });
      commit(made);
      rmSync(join(made.directory, 'src'), { recursive: true });
      writeFileSync(join(outside, 'app.ts'), main);
      symlinkSync(outside, join(made.directory, 'src'));
    },
    message: /src\/app\.ts is in a directory that is a link/,
  },
  ...['--assume-unchanged', '--skip-worktree'].map((flag) => ({
    what: `a changed file of which Git does not tell (${flag})`,
    prepare: (made: Project) => {
      git(made, 'update-index', flag, 'main.ts');
      made.write({ 'main.ts': `${main}// mine\n` });
    },
    message: /main\.ts may have changes, because it has the flag/,
  })),
  {
    what: 'a changed file of which a filter hides the change',
    prepare: (made) => {
      made.write({ '.gitattributes': 'main.ts filter=mine\n' });
      git(made, 'add', '.gitattributes');
      git(made, 'commit', '--quiet', '--message', 'attributes');
      git(made, 'config', 'filter.mine.clean', 'grep -v mine');
      made.write({ 'main.ts': `${main}// mine\n` });
    },
    message: /main\.ts is not as it is committed, which a filter or a setting of Git hides/,
  },
  {
    what: 'a file in another encoding',
    prepare: (made) => {
      writeFileSync(join(made.directory, 'main.ts'), Buffer.from(`${main}// caf\u00e9\n`, 'latin1'));
      commit(made);
    },
    message: /main\.ts is not a text in UTF-8/,
  },
  {
    what: 'a read-only file in the middle',
    prepare: (made) => {
      made.write({ 'a.ts': main, 'b.ts': main });
      commit(made);
      chmodSync(join(made.directory, 'b.ts'), 0o444);
    },
    message: /b\.ts is read-only/,
  },
  ...['rm', 'git'].map((how) => ({
    what: `a fieldwise.yaml that was deleted (${how})`,
    prepare: (made: Project) => {
      made.write({ 'fieldwise.yaml': 'name: shop\n' });
      commit(made);
      if (how === 'git') git(made, 'rm', '--quiet', 'fieldwise.yaml');
      else rmSync(join(made.directory, 'fieldwise.yaml'));
    },
    message: /fieldwise\.yaml has been deleted, and the deletion is not committed/,
  })),
  {
    what: 'no repository',
    prepare: (made) => rmSync(join(made.directory, '.git'), { recursive: true }),
    message: /Git does not track this directory/,
  },
  {
    what: 'a repository without a commit',
    prepare: (made) => {
      rmSync(join(made.directory, '.git'), { recursive: true });
      git(made, 'init', '--quiet');
      git(made, 'add', '--all');
    },
    message: /main\.ts has changes/,
  },
  {
    what: 'a program outside of the directory',
    prepare: (made) => {
      made.write({ 'main.ts': 'export {};\n', 'cdk8s.yaml': `app: npx ts-node ${outside}/app.ts\n` });
      commit(made);
    },
    message: /No file that Git tracks here makes an App of cdk8s/,
    code: 'program-without-app',
  },
];

test.each(refused)('writes nothing with $what', async ({ prepare, message, code = 'migrate-refused' }) => {
  const made = committed();
  prepare(made);
  const texts = () => made.files('.').filter((name) => lstatSync(join(made.directory, name)).isFile() && !name.startsWith('.git/'));
  const before = texts().map((name) => [name, made.read(name)]);
  const { exitCode, stderr } = await made.run(['init', '--migrate', '--yes']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(stderr).toContain(`[${code}]`);
  expect(texts().map((name) => [name, made.read(name)])).toEqual(before);
  for (const name of ['linked.ts', 'app.ts']) {
    if (existsSync(join(outside, name))) expect(readFileSync(join(outside, name), 'utf8')).toBe(main);
  }
});

test('files keep their line ends, their quotes, their permissions and the rest', async () => {
  const windows = main.replaceAll('\n', '\r\n').replaceAll("'", '"').replace('} from "cdk8s";', '} from "cdk8s"');
  const made = committed({ 'main.ts': windows });
  chmodSync(join(made.directory, 'main.ts'), 0o755);
  git(made, 'config', 'core.fileMode', 'false');
  expect((await made.run(['init', '--migrate', '--yes'])).exitCode).toBe(0);
  expect(made.read('main.ts')).toBe(
    windows.replace(
      'import { App, Chart, ChartProps } from "cdk8s"',
      'import { Chart, ChartProps } from "cdk8s"\r\nimport { App } from "fieldwise"',
    ),
  );
  expect(statSync(join(made.directory, 'main.ts')).mode & 0o777).toBe(0o755);
});

test.each<{ what: string; text: string; edited?: string | undefined; state?: string }>([
  { what: 'App alone', text: "import { App } from 'cdk8s';\nnew App();", edited: "import { App } from 'fieldwise';\nnew App();" },
  {
    what: 'App last',
    text: "import { Chart, App } from 'cdk8s';\nnew App();",
    edited: "import { Chart } from 'cdk8s';\nimport { App } from 'fieldwise';\nnew App();",
  },
  {
    what: 'another name',
    text: "import { App as Root, Chart } from 'cdk8s';\nclass My extends Root {}",
    edited: "import { Chart } from 'cdk8s';\nimport { App as Root } from 'fieldwise';\nclass My extends Root {}",
  },
  {
    what: 'a namespace',
    text: "import * as cdk8s from 'cdk8s';\nconst app: cdk8s.App = new cdk8s.App();\nnew cdk8s.Chart(app, 'a');",
    edited:
      "import * as cdk8s from 'cdk8s';\nimport { App } from 'fieldwise';\nconst app: cdk8s.App = new App();\nnew cdk8s.Chart(app, 'a');",
  },
  {
    what: 'a namespace that nothing else uses',
    text: "import * as cdk8s from 'cdk8s';\r\nclass My extends cdk8s.App {}\r\nnew cdk8s.App();",
    edited: "import { App } from 'fieldwise';\r\nclass My extends App {}\r\nnew App();",
  },
  {
    what: 'a namespace that is exported',
    text: 'import * as cdk8s from "cdk8s"\nexport { cdk8s }\nnew cdk8s.App()',
    edited: 'import * as cdk8s from "cdk8s"\nimport { App } from "fieldwise"\nexport { cdk8s }\nnew App()',
  },
  { what: 'a namespace beside another App', text: "import * as cdk8s from 'cdk8s';\nclass App {}\nnew cdk8s.App();" },
  { what: 'App as a type', text: "import { App, Chart } from 'cdk8s';\nexport const f = (app: App) => new Chart(app, 'a');" },
  { what: 'an import of types', text: "import type { App } from 'cdk8s';\nexport type A = App;" },
  { what: 'App of another package', text: "import { App } from 'aws-cdk-lib';\nnew App();" },
  {
    what: 'App in a comment and a text',
    text: "// import { App } from 'cdk8s'\nexport const a = \"import { App } from 'cdk8s'; new App()\";",
  },
  {
    what: 'App with comments beside it',
    text: "import {\n  App, // the root\n  /* all */ Chart,\n} from 'cdk8s'; // pinned\nnew App();",
    edited: "import {\n   // the root\n  /* all */ Chart,\n} from 'cdk8s'; // pinned\nimport { App } from 'fieldwise';\nnew App();",
  },
  {
    what: 'App last with a comment',
    text: "import { Chart, /* the root */ App } from 'cdk8s';\nnew App();",
    edited: "import { Chart, /* the root */  } from 'cdk8s';\nimport { App } from 'fieldwise';\nnew App();",
  },
  {
    what: 'a namespace with comments',
    text: "import * /* all */ as cdk8s /* of */ from /* the */ 'cdk8s' // peer\nnew cdk8s.App()",
    edited: "import { App } /* all */ /* of */ from /* the */ 'fieldwise' // peer\nnew App()",
  },
  {
    what: 'a namespace whose name a function has for something else',
    text: "import * as cdk8s from 'cdk8s';\nfunction f(cdk8s) { return new cdk8s.App(); }\nnew cdk8s.App();",
    edited: "import { App } from 'fieldwise';\nfunction f(cdk8s) { return new cdk8s.App(); }\nnew App();",
  },
  {
    what: 'a namespace that only a function of that name seems to use',
    text: "import * as cdk8s from 'cdk8s';\nfunction f(cdk8s) { return cdk8s.App; }\nnew cdk8s.Chart();",
  },
  {
    what: 'a namespace that an object takes',
    text: "import * as cdk8s from 'cdk8s';\nexport const all = { cdk8s };\nnew cdk8s.App();",
    edited: "import * as cdk8s from 'cdk8s';\nimport { App } from 'fieldwise';\nexport const all = { cdk8s };\nnew App();",
  },
  {
    what: 'a namespace beside one of another package',
    text: "import * as aws from 'aws-cdk-lib';\nimport * as cdk8s from 'cdk8s';\nnew aws.App();\nnew cdk8s.App();",
    edited: "import * as aws from 'aws-cdk-lib';\nimport { App } from 'fieldwise';\nnew aws.App();\nnew App();",
  },
  {
    what: 'App whose name a block has for something else',
    text: "import { App, Chart } from 'cdk8s';\n{ class App {} new App(); }\nexport type A = App;",
  },
  {
    what: 'App beside a text with other line ends',
    text: "import { App, Chart } from 'cdk8s';\nnew App();\nexport const text = `a\r\nb`;",
    edited: "import { Chart } from 'cdk8s';\nimport { App } from 'fieldwise';\nnew App();\nexport const text = `a\r\nb`;",
  },
  {
    what: 'App with the line ends of Windows beside a text with others',
    text: "import { App, Chart } from 'cdk8s';\r\nnew App();\r\nexport const text = `a\nb`;",
    edited: "import { Chart } from 'cdk8s';\r\nimport { App } from 'fieldwise';\r\nnew App();\r\nexport const text = `a\nb`;",
  },
  {
    what: 'App beside a default import',
    text: "import cdk8s, { App } from 'cdk8s';\nnew cdk8s.Chart(new App(), 'a');",
    edited: "import cdk8s from 'cdk8s';\nimport { App } from 'fieldwise';\nnew cdk8s.Chart(new App(), 'a');",
  },
  {
    what: 'App beside a default import, with a comment',
    text: "import cdk8s, {\n  App, // root\n} from 'cdk8s';\nnew cdk8s.Chart(new App(), 'a');",
    edited: "import cdk8s // root\n from 'cdk8s';\nimport { App } from 'fieldwise';\nnew cdk8s.Chart(new App(), 'a');",
  },
  { what: 'that of Fieldwise', text: "import { App } from 'fieldwise';\nnew App();", state: 'done' },
])('the import of $what', ({ text, edited, state = 'new' }) => {
  const found = importApp('main.ts', text);
  if (edited === undefined && state === 'new') expect(found).toBeUndefined();
  else expect(found).toEqual({ state, text: edited ?? text });
});

test.each<[text: string, lines: readonly number[]]>([
  ["import { App, Chart } from 'cdk8s';\nnew Chart(new App(), 'a');", [2]],
  ["import * as c from 'cdk8s';\nimport { App } from 'fieldwise';\nnew App();\nnew c.App();\nclass My extends c.App {}", [4, 5]],
  ["import c from 'cdk8s';\nnew c['App']();", [2]],
  ["import c = require('cdk8s');\nnew c.App();", [2]],
  ["const c = require('cdk8s');\nconst { App: Root } = c;\nnew Root();", [2]],
  ["const { Chart, App: Root } = require('cdk8s');\nnew Root();", [2]],
  ["export const make = async () => new (await import('cdk8s')).App();", [1]],
  ["export { App, Chart } from 'cdk8s';", [1]],
  ["import { App } from 'cdk8s';\nexport { App };\nexport const make = (of: typeof App) => new of();\nmake(App);", [2, 4]],
  [
    "import { App } from 'cdk8s';\nimport * as c from 'cdk8s';\nexport let app: App | c.App | undefined;\nexport interface A extends c.App {}",
    [],
  ],
  ["import type { App } from 'cdk8s';\nimport { App as Own } from 'fieldwise';\nnew Own();", []],
  ["import { Chart } from 'cdk8s';\nexport class App {}\nnew Chart(new App(), 'a');", []],
  ["function f(cdk8s) { return new cdk8s.App(); }\nimport * as cdk8s from 'cdk8s';\nnew cdk8s.Chart();", []],
  ["const text = 'cdk8s';\nimport { App } from 'aws-cdk-lib';\nnew App();", []],
])('%j uses App of cdk8s on the lines %j', (text, lines) => {
  expect(leftoverApps('main.ts', text)).toEqual(lines);
});

test('so do the lines of a file of JavaScript', () => {
  const text = "const cdk8s = require('cdk8s');\nconst { App } = require('cdk8s');\nnew cdk8s.App();\nmodule.exports = new App();\n";
  expect(leftoverApps('main.js', text)).toEqual([3, 4]);
});

test('a write that fails in the middle leaves every file as it was', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-write-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const names = ['a', 'b', 'c'].map((name) => join(directory, name));
  for (const file of names) writeFileSync(file, 'old');
  const all = [{ file: join(directory, 'new'), text: 'new' }, ...names.map((file) => ({ file, old: 'old', text: 'new' }))];
  let renamed = 0;
  const journalDirectory = mkdtempSync(join(tmpdir(), 'fieldwise-journal-'));
  onTestFinished(() => rmSync(journalDirectory, { recursive: true }));
  const journaled = { root: directory, journalDirectory };
  const failing: typeof rename = async (...words) => {
    renamed += 1;
    if (renamed === 3) throw new Error('no space left');
    await rename(...words);
  };
  await expect(writeAll(journaled, all, { rename: failing })).rejects.toThrow('no space left');
  expect(readdirSync(directory)).toEqual(['a', 'b', 'c']);
  for (const file of names) expect(readFileSync(file, 'utf8')).toBe('old');
  const changed = { file: join(directory, 'a'), old: 'older', text: 'new' };
  await expect(writeAll(journaled, [changed])).rejects.toThrow('has changed');
  await writeAll(journaled, all);
  for (const { file } of all) expect(readFileSync(file, 'utf8')).toBe('new');
  // Another process that has planned the same edits undoes none of them.
  await expect(writeAll(journaled, all)).rejects.toThrow('has changed');
  for (const { file } of all) expect(readFileSync(file, 'utf8')).toBe('new');
  expect([readdirSync(directory), readdirSync(journalDirectory)]).toEqual([['a', 'b', 'c', 'new'], []]);
});

test('two migrations at once: one of them edits, and nothing is left half', async () => {
  for (let round = 0; round < 6; round++) {
    const made = committed({ 'package.json': '{ "name": "shop" }\n', 'main.ts': main, 'cdk8s.yaml': '{}\n', '.gitignore': 'dist\n' });
    const runs = await Promise.all([1, 2].map(() => made.run(['init', '--migrate', '--yes'])));
    const codes = runs.map(({ exitCode }) => exitCode).sort();
    expect(
      [
        [0, 0],
        [0, 2],
      ],
      runs.map(({ stderr }) => stderr).join(''),
    ).toContainEqual(codes);
    expect(made.read('main.ts')).toBe(migrated);
    expect(made.read('fieldwise.yaml')).toMatch(/^name: shop\n/m);
    expect(made.read('.gitignore')).toContain('.fieldwise/');
  }
});
