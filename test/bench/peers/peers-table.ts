import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { kubernetesVersion, peers, versionIn } from '../../harness/binaries.js';
import { poll } from '../../harness/poll.js';
import { bareLoop } from '../bare-loop.js';
import type { BenchOptions } from '../options.js';
import { type BenchServer, startBenchServer } from '../processes/bench-server.js';
import { costOf } from '../processes/cost.js';
import { requestCount } from '../processes/request-count.js';
import { chosenRows, rowsOfGroups } from '../rows.js';
import type { Table } from '../table.js';
import { BackgroundLoad } from './background-load.js';
import { fieldwise, fieldwiseFull, fieldwiseProgram } from './fieldwise-tools.js';
import { bareLoopTool } from './floor-tool.js';
import { flux, helm, kubectl } from './foreign-tools.js';
import { pathOf, peerObjects, widgetDefinition, withOneChange } from './peer-objects.js';
import type { Commands, PeerRow, PeerTool } from './peer-tool.js';
import { type Measurement, tableOf } from './table-of.js';

const namespacesOfTool = 4;
/** Before a server lists from memory it asks etcd for its revision, at most ten times a second; a command that follows at once waits for it. */
const restMilliseconds = 250;

/** Whole processes of Fieldwise, of other tools and of a bare loop, in turns, on the same objects in namespaces of their own. */
export async function peersTable(options: BenchOptions): Promise<Table> {
  const server = await startBenchServer();
  if ('skipped' in server) return { caption: [server.skipped], columns: [], rows: [] };
  const load = new BackgroundLoad();
  try {
    const tools = toolsOf(server);
    const prepared = new Map<PeerTool, Commands>();
    for (const tool of tools) prepared.set(tool, await prepare(server, tool, options.objects ?? 1000));
    if (options.load) load.start();
    return tableOf(tools, await measureRounds(server, prepared, options), facts(options));
  } finally {
    await load.stop();
    await server.stop();
  }
}

function toolsOf({ kubectl: file, binaries, bareLoop: program }: BenchServer): PeerTool[] {
  return [
    fieldwise,
    fieldwiseFull,
    fieldwiseProgram,
    flux(path.join(binaries, 'flux'), versionIn(peers, 'github.com/fluxcd/pkg/ssa')),
    ...(file === undefined ? [] : [kubectl(file, kubernetesVersion())]),
    helm(path.join(binaries, 'helm'), versionIn(peers)),
    bareLoopTool(program),
  ];
}

function facts({ objects = 1000, rounds = 3, load }: BenchOptions): string[] {
  return [
    `${objects.toLocaleString('en')} objects of seven kinds in ${namespacesOfTool} namespaces, kube-apiserver ${kubernetesVersion()}.`,
    `Medians of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${load ? ', beside one process for each core that spins' : ''}.`,
  ];
}

/** Creates the namespaces and the custom resource, and writes the files of a tool. */
async function prepare(server: BenchServer, tool: PeerTool, count: number): Promise<Commands> {
  const namespaces = Array.from({ length: namespacesOfTool }, (_, index) => `${tool.id}-${index}`);
  const definition = widgetDefinition as { readonly metadata: { readonly name: string } };
  const query = 'fieldManager=bench&force=true';
  await bareLoop(server.connection, [
    ...namespaces.map((name) => ({
      path: `/api/v1/namespaces/${name}?${query}`,
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    })),
    {
      path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}?${query}`,
      body: JSON.stringify(definition),
    },
  ]);
  const objects = peerObjects(count, namespaces);
  const custom = peerObjects(7, namespaces).find(({ kind }) => kind === 'Widget')!;
  const tryOut = { path: `${pathOf(custom)}?${query}&dryRun=All`, body: JSON.stringify(custom) };
  await poll('the custom resource is served', () =>
    bareLoop(server.connection, [tryOut]).then(
      () => true,
      () => false,
    ),
  );
  const directory = path.join(server.directory, tool.id);
  await mkdir(directory);
  return tool.prepare({ directory, objects, changed: withOneChange(objects) });
}

async function measureRounds(
  server: BenchServer,
  prepared: ReadonlyMap<PeerTool, Commands>,
  { rows: named, rounds = 3 }: BenchOptions,
): Promise<Measurement[]> {
  const chosen = chosenRows('peers', named);
  const tools = [...prepared.keys()].filter((tool) => tool.rows.some((row) => chosen.includes(row)));
  const measurements: Measurement[] = [];
  const warmUp = [...prepared].find(([tool]) => tool.role === 'floor')!;
  for (const row of ['create', 'destroy'] as const) await measure(server, warmUp[0], row, warmUp[1][row]);
  for (let round = 0; round < rounds; round++) {
    const turns = tools.map((_, index) => tools[(index + round) % tools.length]!);
    for (const tool of turns) {
      process.stderr.write(`peers: round ${round + 1} of ${rounds}: ${tool.title}\n`);
      for (const row of rowsOfGroups.peers) {
        const shown = chosen.includes(row) && tool.rows.includes(row);
        const command = prepared.get(tool)?.[row];
        if (command === undefined || (!shown && row !== 'create' && row !== 'destroy')) continue;
        const measurement = await measure(server, tool, row, command);
        if (shown) measurements.push(measurement);
      }
    }
  }
  return measurements;
}

async function measure(server: BenchServer, tool: PeerTool, row: PeerRow, command: Commands['create']): Promise<Measurement> {
  await setTimeout(restMilliseconds);
  const before = await requestCount(server.connection);
  const cost = await costOf(command, { ...server, directory: path.join(server.directory, tool.id) });
  return { tool, row, cost, load: loadavg()[0]!, requests: (await requestCount(server.connection)) - before };
}
