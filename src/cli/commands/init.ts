import path from 'node:path';
import { type Command, Option } from 'commander';
import { exitCodeOf, FieldwiseError } from '../../util/error.js';
import { nearestWith } from '../../util/nearest-with.js';
import { slashPath } from '../../util/slash-path.js';
import { configFileName } from '../config/config.js';
import type { JournaledDirectory, NewText, UndoneWrite } from '../files/write-journal.js';
import type { CreatedProject } from '../init/create-project.js';
import type { Migration } from '../init/migrate.js';
import { type TemplateName, templates } from '../init/template.js';
import type { Host } from '../process/host.js';

interface InitFlags {
  readonly template: TemplateName;
  readonly migrate?: boolean;
  readonly yes?: boolean;
}

/** Adds `fieldwise init`. */
export function registerInit(program: Command, host: Host): void {
  program
    .command('init')
    .summary('create a project')
    .description(
      'Creates a project: a program, a test, fieldwise.yaml, package.json, tsconfig.json, .gitignore, README.md, AGENTS.md (for assistants that write code) and a workflow of GitHub Actions (not below the root of a Git repository). In an existing package, adds what is missing. Overwrites no file, and adds new variables of the program to a workflow that nobody edited.',
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
    .option('--migrate', 'in a project of cdk8s: show the edits that let Fieldwise deploy it, and make them if they are confirmed')
    .option('-y, --yes', 'with --migrate: edit without asking (default: ask at a terminal, else fail)')
    .action(async (directory: string, { template, ...flags }: InitFlags) => {
      const project = path.resolve(host.cwd, directory);
      if (flags.migrate) return migrate(project, flags, host);
      if (flags.yes)
        throw new FieldwiseError('flag-without-use', 'usage', '--yes has no effect without --migrate', { next: 'Leave it out.' });
      const [{ createProject }, { scriptCall }, { invalidText, lackingText }] = await Promise.all([
        import('../init/create-project.js'),
        import('../init/package-manager.js'),
        import('../init/workflow-variables.js'),
      ]);
      const created = await createProject(project, template);
      const { written, hasTests, scripts, packages, workflowRoot, workflows } = created;
      const lines = [
        ...resultLines(created),
        ...workflows.invalid.map(invalidText),
        ...workflows.lacking.map((one) => lackingText(one, created.environment)),
      ];
      if (workflowRoot !== undefined)
        lines.push(
          `No workflow was written: GitHub reads workflows only at the root of the repository (${workflowRoot}); see docs/how-to/ci-github.md.`,
        );
      const inside = path.relative(host.cwd, project);
      const steps = [
        ...(inside ? [`cd ${inside}`] : []),
        packages.install,
        ...(hasTests ? [scriptCall(packages, scripts.test ?? '')] : []),
        scriptCall(packages, scripts.deploy ?? ''),
      ];
      host.stdout(`${lines.join('\n')}\n\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
      if (!hasTests)
        host.stdout(
          `\nThere is no test yet: \`${scriptCall(packages, scripts.test ?? '')}\` fails until you write one (docs/how-to/testing.md).\n`,
        );
      if (!written.includes(configFileName)) return;
      host.stdout(
        `\nThe last command needs no cluster: it deploys to the environment dev of fieldwise.yaml. \`${packages.run(scripts.deploy ?? '', '-e prod')}\` deploys to the cluster of your kubeconfig.\n`,
      );
    });
}

function resultLines({ written, changed, kept, missingLine, workflows }: CreatedProject): readonly string[] {
  const open = workflows.lacking.length + workflows.invalid.length;
  const isComplete = written.length + changed.length + open === 0 && missingLine === undefined;
  const text = `${configFileName} stays as it is and has no \`id\`, which tells the program from another one of its name. Add: ${missingLine}`;
  return [
    ...(written.length > 0 ? [`Written: ${written.join(', ')}`] : []),
    ...changed.map((what) => `Changed ${what}`),
    ...(isComplete ? ['Nothing is missing.'] : []),
    ...(missingLine === undefined ? [] : [text]),
    ...(kept.length > 0 ? [`Kept: ${kept.join('; ')}`] : []),
  ];
}

/** Shows the edits that make a project of cdk8s one of Fieldwise, and makes all of them, or none. */
async function migrate(given: string, { yes = false }: Pick<InitFlags, 'yes'>, host: Host): Promise<void> {
  const { undoKilled } = await import('../files/write-journal.js');
  const { gitDirectoryOf } = await import('../init/tracked-files.js');
  const { migratedDirectory, planMigration } = await import('../init/migrate.js');
  const directory = await migratedDirectory(given, host.env);
  if (directory !== given) host.stdout(`The program is in ${slashPath(given, directory)}, so that is the project.\n`);
  const journaled = { root: directory, journalDirectory: await gitDirectoryOf(directory, host.env) };
  const before = await undoKilled(journaled);
  if (before !== undefined) host.stdout(undoneText(before));
  const migration = await planMigration(directory, host.env);
  const { edits } = migration;
  const byHand = byHandText(migration, slashPath(host.cwd, directory));
  if (edits.length === 0) {
    host.stdout(`Nothing is to be done: App is imported from fieldwise, and fieldwise.yaml is there.\n${byHand}`);
    return;
  }
  const { filePatch } = await import('../render/text-diff.js');
  const nameOf = (file: string) => slashPath(directory, file);
  for (const { file, old, text } of edits) host.stdout(filePatch(nameOf(file), old, text));
  const names = edits.map(({ file }) => nameOf(file));
  if (!yes && !(await isConfirmed(names, host))) return;
  await writeEdits(journaled, edits, host.signal);
  host.stdout(`Written: ${names.join(', ')}\n\nNext:\n${await nextSteps(directory, host.cwd)}\n${migratedNote}${byHand}`);
}

/** @throws FieldwiseError `confirmation-needed` where nobody can be asked. */
async function isConfirmed(names: readonly string[], host: Host): Promise<boolean> {
  const { confirmAtTerminal } = await import('../render/confirm.js');
  const question = { text: 'These files are written', objects: names, answeredByPruneSetting: false };
  if (await confirmAtTerminal(host)(question)) return true;
  if (!host.interactive) {
    throw new FieldwiseError('confirmation-needed', 'usage', `Nothing was written: confirmation required for ${names.join(', ')}`, {
      next: 'Run again at a terminal, or with --yes.',
    });
  }
  host.stdout('Nothing was changed.\n');
  host.setExitCode(exitCodeOf('usage'));
  return false;
}

/** @throws FieldwiseError `file-unwritable`, or `interrupted`: every file is as it was then. */
async function writeEdits(journaled: JournaledDirectory, edits: readonly NewText[], signal: AbortSignal): Promise<void> {
  const { writeAll } = await import('../files/write-all.js');
  await writeAll(journaled, edits, { signal }).catch((cause: Error) => {
    if (signal.aborted) throw new FieldwiseError('interrupted', 'interrupted', 'Interrupted: every file is as it was', { cause });
    throw new FieldwiseError('file-unwritable', 'usage', `The project cannot be written: ${cause.message}`, {
      location: { file: journaled.root },
      next: 'Every file is as it was. Correct it and run the command again.',
      cause,
    });
  });
}

async function nextSteps(directory: string, cwd: string): Promise<string> {
  const { packageManagerOf } = await import('../init/package-manager.js');
  const inside = slashPath(cwd, directory);
  const { add } = packageManagerOf(directory, undefined);
  const isInstalled = nearestWith(directory, path.join('node_modules', 'fieldwise', 'package.json')) !== undefined;
  const steps = [...(inside === '' ? [] : [`cd ${inside}`]), ...(isInstalled ? [] : [`${add} fieldwise`]), 'npx fieldwise deploy'];
  return steps.map((step) => `  ${step}\n`).join('');
}

/** Returns the lines that say what is left to the user. */
function byHandText({ leftovers, others, ignoredByHand }: Migration, inside: string): string {
  const below = (name: string) => (inside === '' ? name : `${inside}/${name}`);
  const lines = [
    ...(leftovers.length === 0
      ? []
      : [`App of cdk8s is still used at ${leftovers.join(', ')}: import it from fieldwise by hand, or its charts are not deployed.`]),
    ...others.map((other) => `Another program is in ${other}: run \`npx fieldwise init --migrate ${below(other)}\` for it.`),
    ...(ignoredByHand === undefined ? [] : [`Add .fieldwise/ to .gitignore, which ${ignoredByHand}: it contains a private key.`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function undoneText({ undone, changed }: UndoneWrite): string {
  const edits = undone.length === 0 ? 'nothing of it is left to undo' : `its edits of ${undone.join(', ')} were undone`;
  const kept = changed.length === 0 ? '' : ` ${changed.join(', ')} changed since, and stays as it is.`;
  return `The migration before ended in the middle: ${edits}.${kept}\n`;
}

const migratedNote = `The last command needs no cluster: it deploys to the environment dev of ${configFileName}, which keeps its data in .fieldwise.\n`;
