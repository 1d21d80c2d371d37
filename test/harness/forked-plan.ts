import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import type { ObjectReport, PlannedObject } from '../../src/deploy/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { ApiClient } from './api-client.js';
import { ref, TestCluster } from './cluster.js';
import { eventsOf } from './events.js';
import { type RunOptions, type RunResult, resultOf } from './fieldwise.js';
import { readKubeconfig, writeKubeconfig } from './kubeconfig.js';
import { type Row, rowsOfPlan, rowsOfRecord, untrue } from './telling-rows.js';

// With FIELDWISE_TEST_FORKS, each deploy of a test is planned before, on another server that has the state of the first one: no request of the plan reaches the server of
// the test. What the plan says must be what the record says, row by row, and what a client that reads each object before and after sees.

type Run = (args: readonly string[], options: RunOptions) => Promise<RunResult>;

/** The file that gets a line for each deploy. */
const log = process.env.FIELDWISE_TEST_FORKS;

/** Flags of a deploy alone; true for those with a value. */
const ofDeploys: Readonly<Record<string, boolean>> = {
  '--yes': false,
  '-y': false,
  '--concurrency': true,
  '--no-fail-fast': false,
  '--wait': false,
  '--no-wait': false,
  '--wait-lock': true,
  '--problems': false,
  '--prune': false,
  '--prune-stacks': false,
  '--timeout': true,
  '-o': true,
  '--output': true,
  '--output-file': true,
};

/** Returns why a deploy cannot be planned on a fork. */
function leftOut(args: readonly string[], { kubeconfig, signal, stdin }: RunOptions): string | undefined {
  if (args.some((arg) => arg.startsWith('--plan'))) return 'applies a saved plan';
  if (args.some((arg) => arg === '-e' || arg.startsWith('--env'))) return 'of an environment';
  if (args.includes('--help') || args.includes('-h')) return 'prints help';
  if (signal !== undefined) return 'is killed';
  if (stdin !== undefined) return 'reads standard input';
  if (kubeconfig === undefined || !existsSync(kubeconfig)) return 'has no kubeconfig';
  const server = readKubeconfig(inject('server').kubeconfig).server;
  return readServer(kubeconfig) === server ? undefined : 'behind a proxy, or of another server';
}

function readServer(kubeconfig: string): string | undefined {
  try {
    return readKubeconfig(kubeconfig).server;
  } catch {
    return undefined;
  }
}

/** Returns true where deploys are planned on a fork before. */
export const plansOnForks = log !== undefined;

/** Runs a deploy, and requires of a plan on a fork of the server, made right before, that it says the same. */
export async function deployAsPlanned(run: Run, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const title = () => `${expect.getState().testPath?.replace(/^.*\/test\//, '')}: ${expect.getState().currentTestName}`;
  const note = (entry: object) => appendFileSync(log as string, `${JSON.stringify({ test: title(), args: args.join(' '), ...entry })}\n`);
  const reason = leftOut(args, options);
  if (reason !== undefined) {
    note({ leftOut: reason });
    return run(args, options);
  }
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-fork-'));
  const fork = await ask<{ readonly path: string; readonly kubeconfig: string }>('POST', '/');
  try {
    const admin = join(directory, 'admin.kubeconfig');
    writeFileSync(admin, fork.kubeconfig);
    const kubeconfig = join(directory, 'kubeconfig');
    writeKubeconfig(kubeconfig, { ...readKubeconfig(admin), token: await tokenOn(admin, options.kubeconfig as string) });
    const planned = await run(['diff', ...forPlans(args.slice(1)), '-o', 'json'], { ...options, kubeconfig });
    const isJson = /(^| )(-o|--output)[ =]json( |$)/.test(args.join(' '));
    const file = join(directory, 'record.json');
    const result = await run(isJson ? args : [...args, '--output-file', `json=${file}`], options);
    const events = isJson
      ? result.events
      : resultOf(args, { ...result, stdout: existsSync(file) ? readFileSync(file, 'utf8') : '' }).events;
    const differences = await differencesOf(planned, { ...result, events, args }, admin);
    note({ ...differences, exits: [planned.exitCode, result.exitCode] });
    return result;
  } finally {
    await ask('DELETE', fork.path);
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Compared {
  readonly compared: number;
  readonly notJudged: number;
  readonly differs: readonly Difference[];
}

/** Something that the plan, the record and the objects do not say alike; `kind` is the same in each run of a test. */
export interface Difference {
  readonly object: string;
  readonly kind: string;
  readonly details: unknown;
}

interface Deployed extends RunResult {
  readonly args: readonly string[];
}

async function differencesOf(planned: RunResult, deployed: Deployed, admin: string): Promise<Compared> {
  const plans = eventsOf(planned.events, 'plan') as readonly PlannedObject[];
  const records = eventsOf(deployed.events, 'object') as readonly ObjectReport[];
  const differs: Difference[] = [];
  let [compared, notJudged] = [0, 0];
  if (plans.length === 0 && planned.exitCode > 2 && deployed.exitCode <= 1)
    differs.push({ object: '', kind: `refused by ${planned.exitCode}, deployed`, details: planned.stderr });
  for (const plan of plans) {
    const [record, another] = records.filter(
      (one) => one.stack === plan.stack && one.object === plan.object && one.apiVersion === plan.apiVersion,
    );
    // A plan waits for what others make meanwhile, and cannot know an answer to a question.
    const isOpen = plan.action === 'wait' || (!deployed.args.includes('--yes') && plan.reason?.includes('asks first') === true);
    if (record === undefined || another !== undefined || isOpen) continue;
    if (plan.notJudged) {
      notJudged++;
      continue;
    }
    if (['failed', 'conflict', 'skipped'].includes(record.result)) {
      const isAsked = record.error?.next?.includes('--yes') === true;
      if (record.result === 'failed' && plan.action !== 'blocked' && !isAsked)
        differs.push({ object: plan.object, kind: `${plan.action}, failed with ${record.error?.code}`, details: record.error });
      continue;
    }
    compared++;
    const object = `${plan.action}, ${record.result}`;
    const found =
      plan.action === 'blocked'
        ? [{ kind: object, details: plan.error }]
        : differingRows(plan, record).map(({ kind, details }) => ({ kind: `${object}: ${kind}`, details }));
    const wrong = await wrongRows(record, records, admin);
    differs.push(
      ...[
        ...found,
        ...(wrong.length === 0
          ? []
          : [{ kind: `${object}: ${[...new Set(wrong.map((text) => text.replace(/:.*$/s, '')))].join(', ')}`, details: wrong }]),
      ].map((one) => ({ object: plan.object, ...one })),
    );
  }
  return { compared, notJudged, differs };
}

/** Compares the rows of a plan with those of a record, which names no declared fields of an object that was created, nor the old values of one that was not read. */
function differingRows(plan: PlannedObject, record: ObjectReport): readonly Omit<Difference, 'object'>[] {
  const isNew = ['created', 'recreated'].includes(record.result);
  const [one, other] = [rowsOfPlan(plan), rowsOfRecord(record)].map((rows) => rows.map(textOf)) as [string[], string[]];
  const isTold = (row: string) => !record.notRead && !(isNew && ['set', 'change'].includes(effectIn(row)));
  const inPlan = one.filter((row) => !other.includes(row) && isTold(row));
  const inRecord = other.filter((row) => !one.includes(row));
  if (inPlan.length + inRecord.length === 0) return [];
  const effects = (rows: readonly string[]) => [...new Set(rows.map(effectIn))].sort().join(' ') || 'nothing';
  return [{ kind: `the plan says ${effects(inPlan)}, the record ${effects(inRecord)}`, details: { inPlan, inRecord } }];
}

const lastApplied = '.metadata.annotations.kubectl.kubernetes.io/last-applied-configuration';

/** Compares the rows of an object, of all stacks that have written to it, with what a client reads before and after. */
async function wrongRows(record: ObjectReport, records: readonly ObjectReport[], admin: string): Promise<readonly string[]> {
  if (record.kind === 'Secret' || record.notRead || ['created', 'recreated', 'deleted', 'absent'].includes(record.result)) return [];
  const target = ref(record.apiVersion, record.kind, record.name, record.namespace);
  const clusters = [new TestCluster(admin), new TestCluster(inject('server').kubeconfig)];
  const [before, after] = (await Promise.all(clusters.map((cluster) => cluster.find(target)))) as (JsonObject | undefined)[];
  for (const { client } of clusters) client.close();
  if (!before || !after) return [];
  const rows = records.filter((one) => one.object === record.object).flatMap(rowsOfRecord);
  // A transfer names the fields that this annotation has lost.
  return untrue(before, after, rows).filter((text) => !(record.transferred && text.includes(lastApplied)));
}

/** That others own a field, too, may be over once the run has ended: of such fields, plan and record say that the stack owns them from now on. */
function textOf([change, ...others]: Row): string {
  return JSON.stringify([change === 'co-own' ? 'same' : change, ...others]);
}

function effectIn(row: string): string {
  return (JSON.parse(row) as [string])[0];
}

/** Returns the arguments without those that only a deploy has. */
function forPlans(args: readonly string[]): string[] {
  return args.filter((arg, index) => {
    const isValue = index > 0 && ofDeploys[args[index - 1] as string] === true;
    return !isValue && ofDeploys[arg.replace(/=.*$/, '')] === undefined;
  });
}

/** Returns a token of the same user on a fork, which has keys of its own. */
async function tokenOn(admin: string, kubeconfig: string): Promise<string> {
  const own = readKubeconfig(kubeconfig).token;
  const client = new ApiClient(admin);
  const [, claims] = (own ?? '').split('.');
  if (claims === undefined) return readKubeconfig(admin).token as string;
  const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly sub: string };
  const [, , namespace, name] = sub.split(':');
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const { status } = await client.call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, { body });
  client.close();
  return status.token;
}

function ask<Answer>(method: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: `${inject('server').kubeconfig}.forks`, method, path }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(text) as Answer) : reject(new Error(text))));
    });
    sent.on('error', reject).end();
  });
}
