import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readKubeconfig, writeKubeconfig } from '../harness/kubeconfig.js';
import { normalize } from './normalize.js';
import { type KubectlResult, type KubectlScenario, type KubectlStep, stepOf } from './scenario.js';

/** A server that runs scenarios, and where its clients keep their files. */
export interface KubectlServer {
  readonly name: string;
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly directory: string;
}

/** A command that hangs is ended, and its exit code says so. */
const limit = 30;

interface Session {
  readonly kubectl: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs the steps of a scenario on one server. */
export async function runScenario(server: KubectlServer, scenario: KubectlScenario): Promise<KubectlResult[]> {
  const directory = join(server.directory, scenario.name);
  mkdirSync(directory, { recursive: true });
  for (const [name, content] of Object.entries(scenario.files ?? {})) writeFileSync(join(directory, name), content);
  const kubeconfig = join(server.directory, `${scenario.name}.kubeconfig`);
  writeKubeconfig(kubeconfig, { ...readKubeconfig(server.kubeconfig), namespace: scenario.name });
  const environment = { PATH: process.env.PATH ?? '', HOME: server.directory, KUBECONFIG: kubeconfig, TMPDIR: directory, NO_COLOR: '1' };
  const session = { kubectl: server.kubectl, directory, environment };
  const made = await execute(session, { run: 'create -f -', stdin: namespaceNamed(scenario.name) });
  if (made.code !== 0) throw new Error(`${server.name} made no namespace ${scenario.name}: ${made.stderr}`);
  const kept = new Map<string, string>();
  const results: KubectlResult[] = [];
  for (const step of scenario.steps.map(stepOf)) {
    const result = await executeBeside(session, withKept(step, kept));
    if (step.keep !== undefined) kept.set(step.keep, result.stdout);
    results.push(normalize(result, step, [[server.directory, 'DIRECTORY']]));
  }
  return results;
}

function withKept(step: KubectlStep, kept: ReadonlyMap<string, string>): KubectlStep {
  const filled = (text: string) => [...kept].reduce((now, [name, value]) => now.replaceAll(`$${name}`, value), text);
  return { ...step, run: filled(step.run), ...(step.stdin === undefined ? {} : { stdin: filled(step.stdin) }) };
}

async function executeBeside(session: Session, step: KubectlStep): Promise<KubectlResult> {
  const running = execute(session, step);
  if (step.beside !== undefined) await sleep(700);
  for (const run of step.beside ?? []) await execute(session, { run });
  return running;
}

function execute(session: Session, step: KubectlStep): Promise<KubectlResult> {
  const editor = step.editor === undefined ? {} : { KUBE_EDITOR: step.editor };
  const child = spawn(session.kubectl, wordsOf(step.run), { cwd: session.directory, env: { ...session.environment, ...editor } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  // A command that does not read its input ends it.
  child.stdin.on('error', () => {});
  child.stdin.end(step.stdin);
  const clock = setTimeout(() => child.kill(), (step.seconds ?? limit) * 1000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(clock);
      const ended = step.seconds === undefined ? `ended after ${limit} s` : 'ended';
      resolve({ code: code ?? (signal === 'SIGTERM' ? ended : String(signal)), stdout, stderr });
    });
  });
}

function wordsOf(command: string): string[] {
  return (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

function namespaceNamed(name: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
