import path from 'node:path';
import { configFileName } from '../config/config.js';
import { scriptCall } from './package-manager.js';
import type { ProjectShape } from './project-shape.js';
import { workflow, workflowFile } from './workflow.js';

/** The compiler options of a project of its own. */
export const tsconfigName = 'tsconfig.json';

/** The compiler options beside those of a package that has its own. */
export const ownTsconfigName = 'tsconfig.fieldwise.json';

/** Returns the files of the program, by path. */
export function programFiles({ template, isMixed }: ProjectShape): Readonly<Record<string, string>> {
  if (!isMixed) return template.files;
  return Object.fromEntries(Object.entries(template.files).map(([file, text]) => [asModule(file), asModule(text)]));
}

/** Returns the other files of a project, by path. */
export function supportFiles(shape: ProjectShape): Readonly<Record<string, string>> {
  const { tsconfig, isMixed } = shape;
  return {
    [tsconfig]: compilerOptions(shape),
    'README.md': isMixed ? asModule(readme(shape)) : readme(shape),
    'AGENTS.md': forAssistants(shape),
    ...(shape.hasWorkflow ? { [workflowFile]: workflow(shape) } : {}),
    [configFileName]: isMixed ? asModule(configuration(shape)) : configuration(shape),
  };
}

/** Renames the modules that a text names: Node reads `.mts` and `.mjs` as ES modules in every package. */
function asModule(text: string): string {
  return text.replace(/(?<=[\w])\.ts\b/g, '.mts').replace(/(['"]\.\/[\w.-]+)\.js(?=['"])/g, '$1.mjs');
}

function compilerOptions({ template, tsconfig, isMixed }: ProjectShape): string {
  const extension = isMixed ? '.mts' : '.ts';
  const modules = Object.keys(template.files).filter((file) => path.extname(file) === '.ts');
  return `${JSON.stringify(
    {
      compilerOptions: {
        target: 'ES2022',
        lib: ['ES2022'], // without the types of browsers, which tsc would read for a tenth of its time
        module: 'NodeNext',
        types: ['node'],
        strict: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        skipLibCheck: true,
      },
      // Beside other options, those of the package decide about its other files.
      include: tsconfig === tsconfigName ? [`**/*${extension}`] : modules.map((file) => file.replace(/\.ts$/, extension)),
    },
    undefined,
    2,
  )}\n`;
}

/** The facts that decide the content of fieldwise.yaml. */
interface ConfiguredProject extends Pick<ProjectShape, 'name' | 'id'> {
  readonly template: Pick<ProjectShape['template'], 'app' | 'prod'>;
}

/** Returns fieldwise.yaml. */
export function configuration({ name, id, template: { app, prod = [] } }: ConfiguredProject): string {
  return `# yaml-language-server: $schema=node_modules/fieldwise/schema/fieldwise.schema.json
name: ${/^(?:y|n|yes|no|on|off|true|false|null)$/.test(name) ? `"${name}"` : name}
id: ${id} # tells this program from another one of its name; do not copy it to another project
${app === undefined ? '' : `app: ${app}\n`}
# The environment, unless \`-e NAME\` or FIELDWISE_ENV names another one.
env: dev
environments:
  dev:
    cluster: embedded # an API server that needs no cluster; its data is in .fieldwise/cluster
  prod:
    namespace: default
${prod.map((line) => `${line}\n`).join('')}    # kubeContext: prod # a context of the kubeconfig; without it, the current one
    # clusterUid: … # \`npx fieldwise doctor -e prod\` prints it; pins prod to its cluster
`;
}

/** Leads an assistant that knows nothing of Fieldwise to the page of the package. */
function forAssistants({ scripts, environment, packages }: ProjectShape): string {
  const item = (script: string, meaning: string) => {
    const call = callOf({ scripts, packages }, script);
    return call === undefined ? '' : `- \`${call}\` ${meaning}\n`;
  };
  return `# For assistants

This project deploys to Kubernetes with Fieldwise. Before you change its program, read \`node_modules/fieldwise/AGENTS.md\` (\`${packages.install}\` first): it has the
rules, the errors and the way to test. README.md says what the files are.

${item('typecheck', 'checks the types. Run it after each change.')}${item('test', 'runs the tests. Run it after each change.')}${item(
  'diff',
  'shows, field by field, what a deploy would change. Read it before each deploy.',
)}${item('deploy', `deploys. ${environment === 'prod' ? 'Without `-e prod`, it touches no cluster; pass that' : 'Run it'} only if you are asked to.`)}`;
}

/** Returns the command that runs a script; undefined if the project has no such script. */
function callOf({ scripts, packages }: Pick<ProjectShape, 'scripts' | 'packages'>, script: string): string | undefined {
  const called = scripts[script];
  return called === undefined ? undefined : scriptCall(packages, called);
}

function readme({ name, template: { about }, scripts, environment, hasWorkflow, packages }: ProjectShape): string {
  const row = (script: string, meaning: string) => {
    const call = callOf({ scripts, packages }, script);
    return call === undefined ? '' : `| \`${call}\` | ${meaning} |\n`;
  };
  return `# ${name}

${about}

| command | what it does |
|---|---|
${row('typecheck', 'checks the types')}${row('test', 'runs the tests')}${row('synth', 'writes the declared objects to dist')}${row(
  'diff',
  'shows, field by field, what a deploy would change',
)}${row('deploy', 'deploys')}
${
  environment !== 'prod'
    ? ''
    : `Without more words, \`diff\` and \`deploy\` use the environment \`dev\` of fieldwise.yaml, an API server that needs no cluster. \`${packages.run(scripts.deploy ?? '', '-e prod')}\`
deploys to the cluster of your kubeconfig. Before the first deploy there, choose its context, and pin \`prod\` to its cluster: see fieldwise.yaml.
`
}${
  hasWorkflow
    ? `
.github/workflows/fieldwise.yml checks each change, shows on pull requests what a deploy would change, and deploys the branch main. It says which secrets it
needs. Commit ${packages.lockFile}, which it installs.
`
    : ''
}`;
}
