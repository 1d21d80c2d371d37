import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { runScript } from './run-action.js';

interface Specification {
  readonly spec: { readonly inputs: Readonly<Record<string, { readonly default: string }>> };
}

interface Job {
  readonly variables: Readonly<Record<string, { readonly value: string; readonly expand: false }>>;
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  readonly artifacts: { readonly paths: readonly string[]; readonly reports: Readonly<Record<string, string>> };
}

export interface TemplateRun {
  readonly name: string;
  readonly exitCode: number;
  readonly log: string;
  /** Paths of the reports that exist, by their kind. */
  readonly reports: Readonly<Record<string, string>>;
}

/**
 * Runs the job of a GitLab template as a runner does: inputs are put into the texts of the parsed document, variables become the environment,
 * and all lines of `before_script` and `script` are one script. `npm ci` does nothing.
 */
export async function runGitLabTemplate(
  file: string,
  {
    workspace,
    inputs,
    env,
    shell,
  }: {
    readonly workspace: string;
    readonly inputs: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
    readonly shell: 'bash' | 'dash';
  },
): Promise<TemplateRun> {
  const [specification, jobs] = parseAllDocuments(readFileSync(file, 'utf8')) as unknown as readonly [
    { toJS(): unknown },
    { toJS(): unknown },
  ];
  const { spec } = specification.toJS() as Specification;
  const given = { ...Object.fromEntries(Object.entries(spec.inputs).map(([name, { default: text }]) => [name, text])), ...inputs };
  const [name, job] = Object.entries(interpolated(jobs.toJS(), given) as Readonly<Record<string, Job>>)[0] as [string, Job];
  const temporary = mkdtempSync(join(workspace, '.runner-'));
  mkdirSync(join(temporary, 'bin'));
  writeFileSync(join(temporary, 'bin/npm'), '#!/bin/sh\n[ "$1" = ci ]\n', { mode: 0o755 });
  const variables = Object.fromEntries(Object.entries(job.variables).map(([key, { value }]) => [key, value]));
  const script = [...job.before_script, ...job.script].join('\n');
  const words = shell === 'bash' ? (['bash', '-eo', 'pipefail'] as const) : (['dash', '-e'] as const);
  const ended = await runScript(
    script,
    join(temporary, 'job.sh'),
    { cwd: workspace, env: { ...env, ...variables, PATH: [join(temporary, 'bin'), env.PATH].join(delimiter), CI_PROJECT_DIR: workspace } },
    [...words],
  );
  const reports = Object.entries(job.artifacts.reports)
    .map(([kind, path]) => [kind, join(workspace, path)] as const)
    .filter(([, path]) => existsSync(path));
  return { name, ...ended, reports: Object.fromEntries(reports) };
}

function interpolated(value: unknown, inputs: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
      if (inputs[name] === undefined) throw new Error(`the template has no input ${name}`);
      return inputs[name];
    });
  }
  if (Array.isArray(value)) return value.map((one) => interpolated(one, inputs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [interpolated(name, inputs) as string, interpolated(member, inputs)]),
  );
}
