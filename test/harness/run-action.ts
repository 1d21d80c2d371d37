import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

interface Step {
  readonly id: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly shell?: string;
  readonly 'working-directory'?: string;
  readonly 'continue-on-error'?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

export interface ActionRun {
  /** That of the first step that failed; 0 if none did. */
  readonly exitCode: number;
  /** The lines of all steps, as the runner reads them. */
  readonly log: string;
  /** The lines that the runner takes for commands. */
  readonly commands: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Paths of the files of each artifact, by its name. */
  readonly artifacts: Readonly<Record<string, string>>;
}

export interface ActionJob {
  /** The root of the repository. */
  readonly workspace: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
}

/**
 * Runs a composite action as the runner of GitHub does: expressions are replaced in `env`, `with`, `if` and `working-directory`, each script is
 * written to a file, and bash runs it. A step that uses an action of others is played: upload-artifact copies the files.
 */
export async function runAction(file: string, job: ActionJob): Promise<ActionRun> {
  const action = parse(readFileSync(file, 'utf8')) as Action;
  const temporary = mkdtempSync(join(job.workspace, '.runner-'));
  const files = { GITHUB_OUTPUT: join(temporary, 'output'), GITHUB_STEP_SUMMARY: join(temporary, 'summary') };
  writeFileSync(files.GITHUB_STEP_SUMMARY, '');
  const outputs = new Map<string, Readonly<Record<string, string>>>();
  const defaults = Object.fromEntries(Object.entries(action.inputs).map(([name, { default: text }]) => [name, text]));
  const context: Context = { outputs, token: job.token, inputs: {} };
  const inputs = { ...Object.fromEntries(Object.entries(defaults).map(([name, text]) => [name, expand(text, context)])), ...job.inputs };
  const inside = { ...context, inputs };
  const artifacts: Record<string, string> = {};
  let log = '';
  let exitCode = 0;
  for (const step of action.runs.steps) {
    if (exitCode !== 0 || (step.if !== undefined && evaluate(step.if, inside) !== 'true')) continue;
    if (step.uses !== undefined) {
      outputs.set(step.id, upload(step, inside, temporary, artifacts));
      continue;
    }
    writeFileSync(files.GITHUB_OUTPUT, '');
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, expand(text, inside)]));
    const ended = await runScript(step.run ?? '', join(temporary, `${step.id}.sh`), {
      cwd: join(job.workspace, expand(step['working-directory'] ?? '.', inside)),
      env: { ...job.env, ...files, RUNNER_TEMP: temporary, ...env },
    });
    log += ended.log;
    exitCode = step['continue-on-error'] ? 0 : ended.exitCode;
    outputs.set(step.id, readOutputs(readFileSync(files.GITHUB_OUTPUT, 'utf8')));
  }
  return {
    exitCode,
    log,
    commands: commandsOf(log),
    outputs: Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, expand(value, inside)])),
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
    artifacts,
  };
}

/** Runs a script as the runner does for `shell: bash`; `program` is another shell with its words. */
export async function runScript(
  script: string,
  file: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  [program, ...words]: readonly [string, ...string[]] = ['bash', '--noprofile', '--norc', '-eo', 'pipefail'],
): Promise<{ readonly exitCode: number; readonly log: string }> {
  writeFileSync(file, script);
  const child = spawn(program, [...words, file], { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? -1, log }));
  });
}

interface Context {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly token: string;
}

function expand(text: string, context: Context): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => evaluate(expression, context));
}

/** Evaluates the expressions that action.yml has: a member of a context, or its comparison with a text. */
function evaluate(expression: string, context: Context): string {
  const [, compared, operator, text] = /^(\S+) (==|!=) '([^']*)'$/.exec(expression) ?? [];
  if (compared !== undefined) return String((evaluate(compared, context) === text) === (operator === '=='));
  const [root, ...rest] = expression.split('.');
  if (expression === 'github.token') return context.token;
  if (root === 'inputs' && rest.length === 1) return context.inputs[rest[0] as string] ?? '';
  if (root === 'steps' && rest.length === 3 && rest[1] === 'outputs')
    return context.outputs.get(rest[0] as string)?.[rest[2] as string] ?? '';
  throw new Error(`this runner does not know the expression ${expression}`);
}

/** Source: actions/upload-artifact, the characters that a name may not contain. */
const refusedInName = /["<>|*?:\r\n\\/]/;

function upload({ uses, with: given = {} }: Step, context: Context, temporary: string, artifacts: Record<string, string>) {
  if (!uses?.startsWith('actions/upload-artifact@v')) throw new Error(`this runner does not know the action ${uses}`);
  const { name = '', path = '' } = Object.fromEntries(Object.entries(given).map(([key, text]) => [key, expand(String(text), context)]));
  if (name === '' || refusedInName.test(name)) throw new Error(`the artifact name ${JSON.stringify(name)} is not valid`);
  const directory = join(temporary, 'artifacts', name);
  mkdirSync(directory, { recursive: true });
  const files = path.split('\n').filter((file) => file.trim() !== '');
  for (const file of files) copyFileSync(file, join(directory, basename(file)));
  artifacts[name] = join(directory, basename(files[0] as string));
  return { 'artifact-url': `https://github.example/shop/web/actions/runs/100/artifacts/${Object.keys(artifacts).length}` };
}

function readOutputs(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [, name, value] = /^([^=]+)=(.*)$/.exec(line) ?? [];
        if (name === undefined) throw new Error(`the runner does not understand the output ${JSON.stringify(line)}`);
        return [name, value as string];
      }),
  );
}

/** Source: actions/runner, `ActionCommand`: a command begins with `::` behind white space, unless they are stopped. */
function commandsOf(log: string): readonly string[] {
  const commands: string[] = [];
  let stopped: string | undefined;
  for (const line of log.split(/\r\n|\r|\n/).map((text) => text.trim())) {
    if (stopped !== undefined) {
      if (line === `::${stopped}::`) stopped = undefined;
    } else if (line.startsWith('::stop-commands::')) stopped = line.slice('::stop-commands::'.length);
    else if (/^::[\w-]+(?: .*)?::/.test(line)) commands.push(line);
  }
  if (stopped !== undefined) throw new Error('commands are stopped at the end of the log');
  return commands;
}
