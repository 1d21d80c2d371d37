import { Agent, request } from 'node:https';
import { type BareRequest, bareLoop, bareRequest, type Connection } from './bare-loop.js';
import { connectionOf } from './connection.js';
import { smallDeployment } from './deployments.js';
import { type Figure, median } from './figures.js';

const deployments = '/apis/apps/v1/namespaces/bench/deployments';
const watchers = 1_000;
/** Writes that are measured one by one, and those of a round of many. */
const single = 20;
const applies = 100;
const rounds = 3;

/**
 * Watches of one kind over HTTPS, each on a connection of its own, with events of whole Deployments. The clients run in this process and
 * take a core of their own.
 */
export async function watcherFigures(kubeconfig: string, print: (figure: Figure) => void): Promise<void> {
  const connection = connectionOf(kubeconfig);
  const agent = new Agent({ keepAlive: true, ca: connection.ca });
  let counter = 0;
  const next = (): BareRequest => {
    const body = JSON.stringify(smallDeployment(0, counter++, 'watched', 'bench'));
    return { path: `${deployments}/watched?fieldManager=m0&force=true`, body };
  };
  const speed = async () => applies / (await bareLoop(connection, Array.from({ length: applies }, next)));
  await bareRequest(connection, agent, next());
  for (let round = 0; round < rounds; round++) await speed();
  const alone: number[] = [];
  for (let round = 0; round < rounds; round++) alone.push(await speed());
  const audience = await watch(connection);
  const times: number[] = [];
  for (let write = 0; write < single; write++) {
    const started = performance.now();
    const arrived = audience.received(1);
    await bareRequest(connection, agent, next());
    await arrived;
    times.push(performance.now() - started);
  }
  const watched: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const arrived = audience.received(applies);
    watched.push(await speed());
    await arrived;
  }
  audience.close();
  agent.destroy();
  const [words, few] = [watchers.toLocaleString('en'), median(alone)];
  print({ name: `a write until the last of ${words} watchers has its event`, value: `${Math.round(median(times))} ms` });
  print({ name: 'applies over HTTP to one object, nobody watches', value: `${Math.round(few)}/s` });
  print({
    name: `applies over HTTP to one object, ${words} watchers`,
    value: `${Math.round(median(watched))}/s`,
    ratio: { of: 'nobody watches', value: median(watched) / few },
  });
}

interface Audience {
  /** Resolves when every watcher has some more events. */
  received(events: number): Promise<void>;
  close(): void;
}

async function watch(connection: Connection): Promise<Audience> {
  const agent = new Agent({ ca: connection.ca, maxSockets: watchers });
  const path = `${deployments}?watch=1&resourceVersion=${await latestVersion(connection, agent)}`;
  let count = 0;
  let wanted = 0;
  let done = () => {};
  const closings: (() => void)[] = [];
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const call = request(`${connection.server}${path}`, { agent, headers: { authorization: connection.authorization } }, (response) => {
        response.on('data', (chunk: Buffer) => {
          // Each event is a line.
          for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) count += 1;
          if (count >= wanted) done();
        });
        response.on('error', () => {});
        resolve();
      });
      call.on('error', reject);
      call.end();
      closings.push(() => call.destroy());
    });
  for (let opened = 0; opened < watchers; opened += 50) await Promise.all(Array.from({ length: 50 }, open));
  return {
    received: (events) => {
      wanted += events * watchers;
      return new Promise<void>((resolve) => {
        done = resolve;
      });
    },
    close: () => {
      for (const close of closings) close();
      agent.destroy();
    },
  };
}

async function latestVersion({ server, authorization }: Connection, agent: Agent): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const call = request(`${server}${deployments}?limit=1`, { agent, headers: { authorization } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { metadata } = JSON.parse(Buffer.concat(chunks).toString()) as { metadata: { resourceVersion: string } };
        resolve(metadata.resourceVersion);
      });
    });
    call.on('error', reject);
    call.end();
  });
}
