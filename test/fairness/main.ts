import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Connection, readKubeconfig } from '../harness/kubeconfig.js';
import { readCount, readFlags } from '../harness/script-flags.js';
import { largeRequests } from './large-bodies.js';

const usage = `Usage: npm run campaign -- fairness [--bodies 100] [--limit 100] [--only NAME] [--profile DIRECTORY]
Sends the largest and most expensive bodies side by side to the embedded API server, one kind after the other, while another client gets and
applies a small object every 20 ms; prints how long that client waits, in milliseconds, and fails if it waits longer than the limit.`;
const { values } = readFlags(usage, {
  options: {
    bodies: { type: 'string', default: '100' },
    limit: { type: 'string', default: '100' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});
const bodies = readCount(usage, 'bodies', values.bodies);
const limit = readCount(usage, 'limit', values.limit);
const command = fileURLToPath(new URL('../../lib/src/cli/main.cjs', import.meta.url));
const sender = fileURLToPath(new URL('send-bodies.ts', import.meta.url));
const interval = 20;

async function main(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-fairness-'));
  const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
  const words = [...profile, command, 'cluster', 'start', '--foreground', '--data', join(directory, 'data')];
  const server = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => server.once('exit', resolve));
  try {
    const [kubeconfig] = (await new Promise<string>((resolve) => server.stdout.once('data', (chunk) => resolve(String(chunk))))).split(
      '\n',
    );
    return await campaign(kubeconfig as string);
  } finally {
    server.kill('SIGINT');
    await exited;
    rmSync(directory, { recursive: true, force: true });
  }
}

async function campaign(kubeconfig: string): Promise<number> {
  const client = new SmallClient(readKubeconfig(kubeconfig));
  await client.prepare();
  for (let round = 0; round < 200; round++) await client.exchange(round);
  let slow = 0;
  print('bodies', ['p50', 'p99', 'max'], 'seconds, statuses');
  await report(client, 'none', () => pause(2_000).then(() => ''));
  for (const { name } of largeRequests()) {
    if (values.only !== undefined && values.only !== name) continue;
    const max = await report(client, name, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', sender, kubeconfig, name, String(bodies)]);
      return stdout.trim();
    });
    if (max > limit) slow += 1;
  }
  client.close();
  console.log(
    slow === 0 ? `no wait was longer than ${limit} ms` : `FAILED: ${slow} kinds of bodies let others wait longer than ${limit} ms`,
  );
  return slow === 0 ? 0 : 1;
}

/** Prints the waits of the small client while something else runs; returns the longest. */
async function report(client: SmallClient, name: string, run: () => Promise<string>): Promise<number> {
  const started = performance.now();
  const running = { now: true };
  const waits = client.measure(running);
  const result = await run();
  running.now = false;
  const sorted = (await waits).toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
  const figures = [at(0.5), at(0.99), at(1)].map((value) => value.toFixed(0));
  print(name, figures, `${((performance.now() - started) / 1000).toFixed(1)} s; ${result}`);
  return at(1);
}

function print(name: string, figures: readonly string[], rest: string): void {
  console.log(`${name.padEnd(40)}${figures.map((figure) => figure.padStart(7)).join('')}  ${rest}`);
}

const namespace = '/api/v1/namespaces/fairness';

/** A client that sends small requests at fixed times, whether or not the last one was answered. */
class SmallClient {
  readonly #agent: Agent;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#agent = new Agent({ keepAlive: true, ca: connection.ca });
  }

  async prepare(): Promise<void> {
    await this.#send('POST', '/api/v1/namespaces', 'application/json', '{"metadata":{"name":"fairness"}}');
    await this.#send('POST', `${namespace}/configmaps`, 'application/json', '{"metadata":{"name":"patched"},"data":{"a":"b"}}');
    // Connections that are open before the measurement.
    await Promise.all(Array.from({ length: 30 }, (_, index) => this.exchange(index)));
  }

  /** Sends a read or an apply in turn. */
  async exchange(number: number): Promise<void> {
    const target = `${namespace}/configmaps/small`;
    if (number % 2 === 1) return this.#send('GET', target, '', '');
    const body = `{"apiVersion":"v1","kind":"ConfigMap","data":{"number":"${number}"}}`;
    return this.#send('PATCH', `${target}?fieldManager=small`, 'application/apply-patch+yaml', body);
  }

  /** Returns the time that each request took, from when it was due. */
  async measure(running: { readonly now: boolean }): Promise<readonly number[]> {
    const waits: Promise<number>[] = [];
    for (let due = performance.now(); running.now; due += interval) {
      await pause(due - performance.now());
      const started = performance.now();
      waits.push(this.exchange(waits.length).then(() => performance.now() - started));
    }
    return Promise.all(waits);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, target: string, type: string, body: string): Promise<void> {
    const { server, token } = this.#connection;
    const headers = { authorization: `Bearer ${token}`, ...(type === '' ? {} : { 'content-type': type }) };
    return new Promise((resolve, reject) => {
      const call = request(`${server}${target}`, { method, agent: this.#agent, headers }, (response) => {
        response.resume().on('end', resolve);
      });
      call.on('error', reject);
      call.end(body);
    });
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
}

process.exitCode = await main();
