import path from 'node:path';
import { type Command, Option } from 'commander';
import type { Host } from '../host.js';
import { type TemplateName, templates } from '../init/template.js';
import { configFileName } from '../program/config.js';

/** Adds `fieldwise init`. */
export function registerInit(program: Command, host: Host): void {
  program
    .command('init')
    .summary('create a project')
    .description(
      'Creates a project: a program, a test, fieldwise.yaml, package.json, tsconfig.json, .gitignore, README.md and a workflow of GitHub Actions. In an existing package, adds what is missing. Overwrites no file.',
    )
    .argument('[directory]', 'directory of the project, which is created if it does not exist', '.')
    .addOption(
      new Option(
        '--template <name>',
        'app: a program with builders; operator: a controller of a custom resource, and its deployment; manifests: YAML files without a program; cdk8s: cdk8s charts and constructs',
      )
        .choices(Object.keys(templates))
        .default('app'),
    )
    .action(async (directory: string, { template }: { readonly template: TemplateName }) => {
      const project = path.resolve(host.cwd, directory);
      const { createProject } = await import('../init/create-project.js');
      const { written, changed, kept, scripts, workflowRoot } = await createProject(project, template);
      const lines = [
        ...(written.length > 0 ? [`Written: ${written.join(', ')}`] : []),
        ...changed.map((what) => `Changed ${what}`),
        ...(written.length + changed.length > 0 ? [] : ['Nothing is missing.']),
        ...(kept.length > 0 ? [`Kept: ${kept.join('; ')}`] : []),
      ];
      if (workflowRoot !== undefined)
        lines.push(`Move .github to the root of the repository (${workflowRoot}), where GitHub reads workflows.`);
      const inside = path.relative(host.cwd, project);
      const steps = [
        ...(inside ? [`cd ${inside}`] : []),
        'npm install',
        scripts.test === 'test' ? 'npm test' : `npm run ${scripts.test}`,
        `npm run ${scripts.deploy}`,
      ];
      host.stdout(`${lines.join('\n')}\n\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
      if (!written.includes(configFileName)) return;
      host.stdout(
        `\nThe last command needs no cluster: it deploys to the environment dev of fieldwise.yaml. \`npm run ${scripts.deploy} -- -e prod\` deploys to the cluster of your kubeconfig.\n`,
      );
    });
}
