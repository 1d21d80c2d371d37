import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../corpus/random.js';
import type { ApiClient, ResponseBody } from '../harness/api-client.js';
import { readCount, readFlags } from '../harness/script-flags.js';
import { KilledServer } from './killed-server.js';
import { Observer } from './observer.js';
import { maps, type State, stateOf, Writer } from './writer.js';

const usage = `Usage: npm run campaign -- kills [--kills 200] [--seed 1]
Kills the embedded API server (kill -9) at random moments while several clients write, and starts it again on the same data. Every
acknowledged write must be there and none torn, resourceVersions rise, and a watch goes on from its last version or gets 410.`;
const { values } = readFlags(usage, { options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } } });
const kills = readCount(usage, 'kills', values.kills);
const seed = readCount(usage, 'seed', values.seed);
const random = new Random(seed);
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-kills-'));
const data = join(directory, 'data');
const writers = Array.from({ length: 6 }, (_, index) => new Writer(`writer-${index}`, new Random(seed * 100 + index)));
const observer = new Observer();
/** The highest version that any answer had. */
let highest = 0;
let failed = 0;
let startedAgain = 0;
const snapshots = new Set<string>();
let writes = 0;
const started = Date.now();

console.log(`seed ${seed}`);
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
for (let kill = 1; kill <= kills; kill++) {
  const problems = await round().catch((error: unknown) => [String((error as Error).stack ?? error)]);
  if (problems.length > 0) failed += 1;
  for (const problem of problems.slice(0, 5)) console.log(`FAILED kill ${kill} (seed ${seed}): ${problem}`);
  if (kill % 20 === 0) console.log(`${kill} of ${kills} in ${Math.round((Date.now() - started) / 1000)} s, ${failed} failed`);
}
const total = writers.reduce((sum, { acknowledgements }) => sum + acknowledgements, 0);
console.log(
  `${total} acknowledged writes, ${writes} kills during writes, ${startedAgain} during a start, ${snapshots.size} snapshots, ${observer.expired} watches expired`,
);
console.log(`${kills - failed} passed, ${failed} failed`);
process.exit(failed === 0 && kills > 0 ? 0 : 1);

/** Starts a server, compares what it has with what was acknowledged before, writes and kills it. */
async function round(): Promise<string[]> {
  const server = new KilledServer(data, random.chance(0.25) ? ['--no-fsync'] : []);
  if (random.chance(0.15)) {
    await pause(random.below(700));
    startedAgain += 1;
    return endOf(await server.end('SIGKILL'));
  }
  const client = await server.client();
  if (client === undefined) return [`the server did not start: ${await server.end('SIGKILL')}`];
  const problems: string[] = [];
  try {
    problems.push(...(await compare(client)));
    const work = Promise.all([...writers.map((writer) => writer.write(client)), read(client)]).catch((error: unknown) =>
      problems.push(String(error)),
    );
    await pause(50 + random.below(900));
    problems.push(...endOf(await server.end(random.chance(0.05) ? 'SIGTERM' : 'SIGKILL')));
    await work;
    writes += 1;
  } finally {
    client.close();
    observer.stop();
    await server.end('SIGKILL');
  }
  for (const name of readdirSync(data)) if (/^snapshot-\d+$/.test(name)) snapshots.add(name);
  for (const writer of writers) highest = Math.max(highest, writer.highest);
  highest = Math.max(highest, observer.last);
  return problems;
}

async function compare(client: ApiClient): Promise<string[]> {
  const { metadata, items } = await client.call('GET', maps);
  const objects = new Map<string, State>(items.map((item: ResponseBody) => [item.metadata.name, stateOf(item)]));
  const versions = new Map<string, number>(items.map((item: ResponseBody) => [item.metadata.name, Number(item.metadata.resourceVersion)]));
  const version = Number(metadata.resourceVersion);
  const problems = version < highest ? [`the server has version ${version}, an answer before had ${highest}`] : [];
  problems.push(...writers.flatMap((writer) => writer.problems(objects)), ...observer.check(versions));
  await observer.watch(client);
  problems.push(...(await observer.caughtUp(versions)));
  return problems;
}

/** Reads what there is, again and again: no version that it sees may come twice. */
async function read(client: ApiClient): Promise<void> {
  for (;;) {
    try {
      const { metadata } = await client.call('GET', maps, { query: { limit: '1' } });
      highest = Math.max(highest, Number(metadata.resourceVersion));
      await pause(5);
    } catch {
      return;
    }
  }
}

function endOf(text: string): string[] {
  return /^(SIGKILL|SIGTERM|0) *$/.test(text) ? [] : [`the server ended by itself: ${text}`];
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
