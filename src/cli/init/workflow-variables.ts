import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { slashPath } from '../../util/slash-path.js';
import type { ProjectShape } from './project-shape.js';
import { workflow, workflowFile } from './workflow.js';

/** A workflow that `init` wrote and nobody edited, with the variables that the program reads now. */
export interface UpdatedWorkflow {
  readonly text: string;
  readonly added: readonly string[];
}

/** Returns the update of a workflow that is exactly as `init` wrote it for fewer variables; undefined for any other one. */
export async function updatedWorkflow(directory: string, shape: ProjectShape): Promise<UpdatedWorkflow | undefined> {
  const text = await readFile(path.join(directory, workflowFile), 'utf8').catch(() => '');
  const named = [...text.matchAll(/^# - (\w+) of the GitHub environment .*fromEnv/gm)].map(([, name]) => name as string);
  const added = shape.variables.filter((name) => !named.includes(name));
  if (added.length === 0 || text !== workflow({ ...shape, variables: named })) return undefined;
  return { text: workflow({ ...shape, variables: [...named, ...added].sort() }), added };
}

/** Variables that no workflow of a repository gives to the program. */
export interface LackingWorkflows {
  readonly service: 'github' | 'gitlab';
  /** The workflows that run Fieldwise, relative to the root of the repository. */
  readonly files: readonly string[];
  readonly variables: readonly string[];
}

/** A workflow that is not YAML, so that the service does not run it. */
export interface InvalidWorkflow {
  readonly file: string;
  /** The first error, with its line and column. */
  readonly problem: string;
}

/** The faults of the workflows of a repository. */
export interface CheckedWorkflows {
  /** By service; nothing for a service without a workflow that names Fieldwise. */
  readonly lacking: readonly LackingWorkflows[];
  readonly invalid: readonly InvalidWorkflow[];
}

/**
 * Checks the workflows of a repository that name Fieldwise.
 *
 * @param root the directory of the repository
 */
export async function checkedWorkflows(root: string, variables: readonly string[]): Promise<CheckedWorkflows> {
  const places = { github: await yamlIn(root, '.github/workflows'), gitlab: ['.gitlab-ci.yml', ...(await yamlIn(root, '.gitlab'))] };
  const invalid: InvalidWorkflow[] = [];
  const found = Object.entries(places).map(async ([service, names]): Promise<LackingWorkflows> => {
    const read = names.map(async (file) => ({ file, text: await readFile(path.join(root, file), 'utf8').catch(() => '') }));
    const workflows = (await Promise.all(read)).filter(({ text }) => /fieldwise/i.test(text));
    for (const { file, text } of workflows) {
      const problem = await yamlProblem(text, service);
      if (problem !== undefined) invalid.push({ file, problem });
    }
    const named = new Set(workflows.flatMap(({ text }) => namesIn(text, service)));
    const lacking = variables.filter((name) => !named.has(name));
    return { service: service as LackingWorkflows['service'], files: workflows.map(({ file }) => file), variables: lacking };
  });
  return { lacking: (await Promise.all(found)).filter((one) => one.files.length > 0 && one.variables.length > 0), invalid };
}

/** Returns the first error of a text that is not YAML. GitLab takes the last of two members of one name, and GitHub none. */
async function yamlProblem(text: string, service: string): Promise<string | undefined> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text, { uniqueKeys: service === 'github' });
  const error = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors)[0] : undefined;
  return error?.message.split('\n', 1)[0]?.replace(/:$/, '');
}

/** Returns the variables to which a workflow gives a value. On GitLab a name suffices, because each job has the variables of the project. */
function namesIn(text: string, service: string): readonly string[] {
  if (service === 'gitlab') return text.match(/\b[A-Za-z_]\w{0,127}\b/g) ?? [];
  const lines = text.split('\n').map((line) => line.split(/(?:^|\s)#/, 1)[0] as string);
  return [...lines.join('\n').matchAll(/\b([A-Za-z_]\w{0,127})['"]?:(?! any\b)/g)].map(([, name]) => name as string);
}

async function yamlIn(root: string, folder: string): Promise<readonly string[]> {
  const names = await readdir(path.join(root, folder)).catch(() => []);
  return names.filter((name) => /\.ya?ml$/.test(name)).map((name) => slashPath(root, path.join(root, folder, name)));
}

/** Returns the sentence that names a workflow that is not YAML. */
export function invalidText({ file, problem }: InvalidWorkflow): string {
  return `${file} is not valid YAML, so it does not run: ${problem}. Correct it, and run the command again.`;
}

/** Returns the sentence that names the variables and the lines to add. */
export function lackingText({ service, files, variables }: LackingWorkflows, environment: string): string {
  const names = variables.join(', ');
  const where = files.join(' or ');
  if (service === 'gitlab')
    return `The program reads ${names} with fromEnv, which ${where} does not name. GitLab gives a CI/CD variable to each job without a line: create each one (masked, protected, with the scope of the environment ${environment}). To a job that runs the tests, add:\n  variables:\n${lines(variables, () => 'any')}`;
  return `The program reads ${names} with fromEnv, and ${where} does not give a value. Create each secret in the GitHub environment ${environment}, and add below \`env:\` of the step that deploys:\n${lines(variables, (name) => `\${{ secrets.${name} }}`)}\nand below \`env:\` of a step that runs the tests:\n${lines(variables, () => 'any')}`;
}

function lines(variables: readonly string[], value: (name: string) => string): string {
  return variables.map((name) => `    ${name}: ${value(name)}`).join('\n');
}
