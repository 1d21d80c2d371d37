import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from '../harness/server.js';
import { type BareRequest, bareLoop } from './bare-loop.js';
import { connectionOf } from './connection.js';
import { smallDeployment } from './deployments.js';
import { type Figure, median, perSecond } from './figures.js';
import { freshServerFigures } from './fresh-server.js';
import { watcherFigures } from './watchers.js';

const command = fileURLToPath(new URL('../../lib/src/cli/main.cjs', import.meta.url));
const library = new URL('../../lib/src/apiserver/index.js', import.meta.url).href;
const deployments = '/apis/apps/v1/namespaces/bench/deployments';
const rounds = 5;

/**
 * The embedded API server: beside the real one over HTTP, with many watchers, in process, from start to ready, with many objects stored
 * and with them on disk, and as a server for a test.
 */
export async function embeddedFigures(print: (figure: Figure) => void): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'fieldwise-bench-'));
  const real = await startServer();
  const memory = await startInMemory(directory);
  const durable = await startEmbedded(directory);
  try {
    await overHttp({ real: real.kubeconfig, memory: memory.kubeconfig, durable: durable.kubeconfig }, print);
    await watcherFigures(memory.kubeconfig, print);
  } finally {
    await durable.stop();
    await memory.stop();
    await real.stop();
  }
  await inProcessFigures(print);
  await fromDisk(directory, print);
  await startToReady(directory, print);
  await freshServerFigures(directory, print);
  await rm(directory, { recursive: true, force: true });
}

type Server = 'real' | 'memory' | 'durable';

/** The same bodies from the same client to all servers: Deployments of three managers, every apply changes a value. */
async function overHttp(kubeconfigs: Record<Server, string>, print: (figure: Figure) => void): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } };
  const made = [{ path: '/api/v1/namespaces/bench?fieldManager=bench', body: JSON.stringify(namespace) }];
  const applies = 900;
  const patches = (round: number): BareRequest[] =>
    Array.from({ length: applies }, (_, index) => {
      const name = `web-${Math.floor(index / 3) % 100}`;
      const body = JSON.stringify(smallDeployment(index % 3, round * applies + index, name, 'bench'));
      return { path: `${deployments}/${name}?fieldManager=m${index % 3}&force=true`, body };
    });
  const speeds: Record<Server, number[]> = { real: [], memory: [], durable: [] };
  const servers = Object.keys(speeds) as Server[];
  for (const server of servers) {
    const connection = connectionOf(kubeconfigs[server]);
    await bareLoop(connection, made);
    // The first manager makes the objects, the others would be refused without it.
    await bareLoop(
      connection,
      patches(0).filter((_, index) => index % 3 === 0),
    );
    await bareLoop(connection, patches(0));
  }
  for (let round = 1; round <= rounds; round++) {
    for (const server of servers) speeds[server].push(applies / (await bareLoop(connectionOf(kubeconfigs[server]), patches(round))));
  }
  print({ name: 'applies over HTTP, 3 managers, real kube-apiserver', value: perSecond(median(speeds.real)) });
  const ofReal = (server: Server) => median(speeds[server].map((speed, round) => speed / speeds.real[round]!));
  print({
    name: 'applies over HTTP, 3 managers, embedded server in memory',
    value: perSecond(median(speeds.memory)),
    ratio: { of: 'real', value: ofReal('memory'), target: { atLeast: 3 } },
  });
  print({
    name: 'applies over HTTP, 3 managers, embedded server, each on disk',
    value: perSecond(median(speeds.durable)),
    ratio: { of: 'real', value: ofReal('durable'), target: { atLeast: 1 } },
  });
}

/** A server with 10,000 Deployments: its memory after they were written, and again after a start from disk. */
async function fromDisk(directory: string, print: (figure: Figure) => void): Promise<void> {
  const data = path.join(directory, 'many');
  const first = await startEmbedded(data);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } };
  await bareLoop(connectionOf(first.kubeconfig), [
    { path: '/api/v1/namespaces/bench?fieldManager=bench', body: JSON.stringify(namespace) },
  ]);
  const patches = Array.from({ length: 10_000 }, (_, index): BareRequest => {
    const name = `web-${index}`;
    return { path: `${deployments}/${name}?fieldManager=m0`, body: JSON.stringify(smallDeployment(0, index, name, 'bench')) };
  });
  await bareLoop(connectionOf(first.kubeconfig), patches);
  print(memoryOf('embedded server, memory after 10,000 Deployments were written', first.pid));
  await first.stop();
  const started = performance.now();
  const again = await startEmbedded(data);
  const seconds = (performance.now() - started) / 1000;
  print({
    name: 'embedded server, start from disk with 10,000 Deployments',
    value: `${seconds.toFixed(2)} s`,
    ratio: { of: '2 s', value: seconds / 2, target: { atMost: 1 } },
  });
  print(memoryOf('embedded server, memory after that start', again.pid));
  await again.stop();
}

/** What a process has in memory. Source: proc(5), `VmRSS`. */
function memoryOf(name: string, pid: number): Figure {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const megabytes = Number(kilobytes) / 1000;
  return { name, value: `${Math.round(megabytes)} MB`, ratio: { of: '400 MB', value: megabytes / 400, target: { atMost: 1 } } };
}

async function startToReady(directory: string, print: (figure: Figure) => void): Promise<void> {
  const bare: number[] = [];
  const ready: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
    await new Promise((resolve) => child.once('exit', resolve));
    bare.push((performance.now() - started) / 1000);
    const from = performance.now();
    const server = await startEmbedded(path.join(directory, `start-${round}`));
    ready.push((performance.now() - from) / 1000);
    await server.stop();
  }
  const over = median(ready) - median(bare);
  print({ name: 'bare Node start', value: `${median(bare).toFixed(2)} s` });
  print({
    name: 'embedded server, start to ready, over a bare Node start',
    value: `${over.toFixed(2)} s`,
    ratio: { of: '0.5 s', value: over / 0.5, target: { atMost: 1 } },
  });
}

interface ServerProcess {
  readonly kubeconfig: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The embedded server in a process of its own, as the command line runs it; it listens once it has printed its kubeconfig. */
function startEmbedded(directory: string): Promise<ServerProcess> {
  return startProcess([command, 'cluster', 'start', '--foreground', '--data', path.join(directory, 'cluster')]);
}

/** The embedded server without data, in a process of its own. */
function startInMemory(directory: string): Promise<ServerProcess> {
  const file = path.join(directory, 'memory.kubeconfig');
  const script = `
    import { writeFileSync } from 'node:fs';
    import { EmbeddedApiServer } from ${JSON.stringify(library)};
    const server = await EmbeddedApiServer.start();
    writeFileSync(${JSON.stringify(file)}, server.kubeconfig);
    process.on('SIGINT', () => server.stop().then(() => process.exit()));
    console.log(${JSON.stringify(file)});`;
  return startProcess(['--input-type=module', '-e', script]);
}

async function startProcess(words: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kubeconfig = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.trim());
    });
    void exited.then(() => reject(new Error('the embedded server ended before it was ready')));
  });
  return {
    kubeconfig,
    pid: child.pid!,
    stop: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}

/** Applies in process, in a process of their own. */
async function inProcessFigures(print: (figure: Figure) => void): Promise<void> {
  const script = fileURLToPath(new URL('in-process.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script]);
  for (const line of stdout.trim().split('\n')) print(JSON.parse(line) as Figure);
}
