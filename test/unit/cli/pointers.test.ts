import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { Project } from '../../harness/project.js';

const app = `import { App, Stack } from 'fieldwise';\nconst app = new App({ name: 'x' });\n`;
const project = new Project(
  {
    'fieldwise.yaml': 'app: main.ts\n',
    'main.ts': `${app}new Stack(app, 'web');\n`,
    'twice.ts': `${app}new Stack(app, 'web');\nclass Web extends Stack {\n  constructor(scope: App) {\n    super(scope, 'web');\n  }\n}\nnew Web(app);\n`,
    'twice-of-a-class.ts': `${app}class Base extends Stack {}\nclass Web extends Base {\n  constructor(scope: App) {\n    super(scope, 'web');\n  }\n}\nnew Web(app);\n\nnew Web(app);\n`,
    'beside-a-chart.ts': `import { Chart } from 'cdk8s';\n${app}new Chart(app, 'web');\nnew Stack(app, 'web');\n`,
    'list.ts': `${app}new Stack(app, 'web').own({ apiVersion: 'v1', kind: 'List', items: [] } as never);\n`,
    'syntax.ts': `${app}new Stack(app, 'web';\n`,
    'imports-syntax.ts': `import './syntax.js';\n`,
    'include.ts': `import { Include } from 'cdk8s';\n${app}new Include(new Stack(app, 'web'), 'i', { url: 'broken.yaml' });\n`,
    'repeated.ts': `import { Include } from 'cdk8s';\n${app}new Include(new Stack(app, 'web'), 'i', { url: 'repeated.yaml' });\n`,
    'cdk8s-app.ts': `import { App, Chart } from 'cdk8s';\nnew Chart(new App(), 'web');\n`,
    'no-app.ts': `import { Chart } from 'cdk8s';\nexport const x = Chart;\n`,
    'cdk8s-app.mjs': `import * as cdk8s from 'cdk8s';\nconst app = new cdk8s.App({ outdir: 'out' });\nnew cdk8s.Chart(app, 'web');\napp.synth();\n`,
    'build.ts': `import { deployment } from 'fieldwise/k8s/apps/v1';\n\ndeployment('a').withSpec({ replica: 2 }).build();\n`,
    'broken.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n data: {\n',
    'repeated.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { a: "1", a: "2" }\n',
    'object.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n',
    'cdk8s/cdk8s.yaml': 'language: typescript\napp: node program.mjs\nimports: [k8s]\n',
    'cdk8s/program.mjs': `${app.replace("{ name: 'x' }", "{ name: 'x', outdir: process.env.FIELDWISE_OUTDIR }")}new Stack(app, 'web');\napp.synth();\n`,
    'broken-cdk8s/cdk8s.yaml': 'app: [\n',
  },
  {},
);
afterAll(() => rmSync(project.directory, { recursive: true, force: true }));

interface Row {
  readonly words: readonly string[];
  readonly stderr: RegExp;
  readonly exitCode?: number;
  readonly in?: string;
}

const synth = (file: string) => ['synth', '-p', '-a', file];

test.each<Row>([
  { words: ['apply'], stderr: /unknown command 'apply'[\s\S]*`fieldwise deploy` applies/ },
  { words: ['apply', '-f', 'a.yaml'], stderr: /`fieldwise deploy -f FILE --stack NAME`/ },
  { words: ['preview'], stderr: /`fieldwise diff` shows/ },
  { words: ['up', '--yes'], stderr: /`fieldwise deploy` applies/ },
  { words: ['constructor'], stderr: /unknown command 'constructor'\n\(run fieldwise --help[^\n]*\n$/ },
  { words: ['deploy', '--dry-run'], stderr: /unknown option '--dry-run'[\s\S]*`fieldwise diff` shows/ },
  { words: ['deploy', '--force'], stderr: /unknown option '--force'[\s\S]*The policy `conflicts` decides who wins a field/ },
  { words: ['deploy', '--dry-run=server'], stderr: /`fieldwise diff` shows/ },
  { words: ['deploy', '--nonsense'], stderr: /unknown option '--nonsense'\n\(run fieldwise --help[^\n]*\n$/ },
  { words: ['deploy', '--context', 'prod'], stderr: /`--context prod` is not KEY=VALUE.*`--kube-context NAME`.*`-e NAME`/ },
  { words: ['-e', 'prod', 'deploy'], stderr: /unknown option '-e'[\s\S]*stand after it: `fieldwise deploy -e …`/ },
  { words: ['--kube-context=prod', 'diff', 'web'], stderr: /stand after it: `fieldwise diff --kube-context …`/ },
  { words: ['list', '--context', 'prod'], stderr: /unknown option '--context'[\s\S]*`--kube-context NAME`/ },
  {
    words: ['diff', '-o', 'build'],
    stderr: /'build' is invalid\. Allowed choices are text, .*The directory to write to is now `--outdir build`\./,
  },
  { words: ['synth', '--output=out/a=b'], stderr: /The directory to write to is now `--outdir out\/a=b`\./ },
  { words: ['status', '-o', 'yaml'], stderr: /'yaml' is invalid\. Allowed choices are text, json\.\n/ },
  {
    words: ['guard', '-o', 'build'],
    stderr: /'build' is invalid\. Allowed choices are text, json\. The directory to write to is now `--outdir build`\.\n/,
  },
  { words: ['deploy', '--yes', '--json'], stderr: /unknown option '--json'[\s\S]*`--json` is now `-o json`\.\n$/ },
  { words: ['list', '-j'], stderr: /`-j` is now `-o json`\.\n$/ },
  {
    words: ['diff', '--out', 'plan.json'],
    stderr: /unknown option '--out'[\s\S]*`--out plan\.json` is now `--output-file plan=plan\.json`\.\n$/,
  },
  { words: ['diff', '--html', '--yes'], stderr: /`--html` is now `--output-file html=…`\.\n$/ },
  { words: ['owners', '--html=x.html'], stderr: /`--html x\.html` is now `--output-file html=x\.html`\.\n$/ },
  { words: ['guard', '--out', 'g.yaml'], stderr: /`--out g\.yaml` is now `--output-file yaml=g\.yaml`\.\n$/ },
  { words: ['deploy', '--report', 'r.json'], stderr: /`--report r\.json` is now `--output-file report=r\.json`\.\n$/ },
  { words: ['destroy', '--report', 'r.json'], stderr: /`--report r\.json` is now `--output-file report=r\.json`\.\n$/ },
  { words: ['snapshot', '-o', 's.json'], stderr: /`-o s\.json` is now `--output-file snapshot=s\.json`\.\n$/ },
  { words: ['adopt', '--record', 'a.json'], stderr: /`--record a\.json` is now `--output-file record=a\.json`\.\n$/ },
  { words: ['comment', 'plan.md', '--events', 'e', '--outputs', 'o'], stderr: /`--outputs o` is now `--output-file dotenv=o`\.\n$/ },
  {
    words: ['comment', 'plan.md', '--events', 'e', '--code-quality', 'q'],
    stderr: /`--code-quality q` is now `--output-file code-quality=q`\.\n$/,
  },
  { words: ['diff', '--format=markdown'], stderr: /`--format markdown` is now `-o markdown`\.\n$/ },
  { words: ['destroy', '--delete-shared'], stderr: /`--delete-shared` is now `--delete shared`\.\n$/ },
  { words: ['rbac', '--delete-foreign'], stderr: /`--delete-foreign` is now `--delete foreign`\.\n$/ },
  { words: ['deploy', '--delete', 'shared,all'], stderr: /'shared,all' is invalid\. Expected shared, foreign or shared,foreign\./ },
  { words: ['rbac', '--json'], stderr: /unknown option '--json'\n\(run fieldwise --help[^\n]*\n$/ },
  {
    words: ['diff', '--output-file', 'plan=.'],
    stderr: /`--output-file plan=\.` cannot be written: it is a directory.*`--outdir` names the directory for the output of the program/,
  },
  {
    words: synth('twice.ts'),
    stderr: /There is already a stack with the name "web", at twice\.ts:3:1\. Where: at twice\.ts:9.*\[stack-twice\]/,
  },
  { words: synth('twice-of-a-class.ts'), stderr: /"web", at twice-of-a-class\.ts:9\. Where: at twice-of-a-class\.ts:11/ },
  { words: synth('beside-a-chart.ts'), stderr: /There is already a stack with the name "web"\. Where: at beside-a-chart\.ts:5:1/ },
  { words: synth('list.ts'), stderr: /A List is not an object of the cluster.*list\.ts:3.*Declare each of its items/ },
  { words: synth('syntax.ts'), stderr: /ParseError.*Where: at syntax\.ts:3:21\./ },
  { words: synth('imports-syntax.ts'), stderr: /ParseError.*Where: at syntax\.ts:3:21\./ },
  { words: synth('include.ts'), stderr: /The included YAML does not parse: .*Where: broken\.yaml:5:1, at include\.ts:4.*\[yaml-invalid\]/ },
  { words: synth('repeated.ts'), stderr: /^$/, exitCode: 0 },
  { words: synth('cdk8s-app.ts'), stderr: /creates no App of Fieldwise.*uses the App of cdk8s.*import App from 'fieldwise'/ },
  { words: synth('no-app.ts'), stderr: /The program creates no App\. .*Create one with/ },
  { words: ['synth', '-a', 'node cdk8s-app.mjs'], stderr: /did not write an assembly\. The program uses the App of cdk8s/ },
  { words: ['synth'], in: 'cdk8s', stderr: /^The program is `app` of cdk8s\.yaml: node program\.mjs\n$/, exitCode: 0 },
  { words: ['synth'], in: 'broken-cdk8s', stderr: /cdk8s\.yaml is not YAML: .*cdk8s\.yaml:\d+:\d+.*\[config-invalid\]/ },
  { words: ['import', 'object.yaml'], stderr: /only 1 document of other kinds.*`fieldwise deploy -f FILE --stack NAME`/ },
  { words: ['synth', '-a', 'build.ts'], stderr: /unknown field "replica".*Where: Deployment a, at build\.ts:3/ },
  { words: ['import', 'broken.yaml'], stderr: /The YAML does not parse.*broken\.yaml:5:2/ },
  { words: ['owners', '-f', 'broken.yaml', '--cluster', 'embedded'], stderr: /The YAML does not parse.*broken\.yaml:5:2/ },
])('fieldwise $words', async ({ words, stderr, exitCode = 2, in: below = '.' }) => {
  const run = await project.run(words, { in: below });
  expect(run.stderr).toMatch(stderr);
  expect(run.exitCode, run.stderr).toBe(exitCode);
});
