import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../../lib/src/util/json.js';
import { kubernetesVersion } from '../harness/binaries.js';
import { bareLoop } from './bare-loop.js';
import { type Comparison, comparisonTable, megabytes } from './comparison.js';
import { median } from './figures.js';
import { configMap, nameOf } from './objects.js';
import type { BenchOptions } from './options.js';
import { fieldwiseOfStacks, readOnlyPlan } from './peers/fieldwise-tools.js';
import { bareLoopCommands } from './peers/floor-tool.js';
import { withOneChange } from './peers/peer-objects.js';
import { type BenchServer, startBenchServer } from './processes/bench-server.js';
import { type Cost, costOf } from './processes/cost.js';
import { inventoryBytes } from './processes/inventory-bytes.js';
import { chosenRows, type RowOf } from './rows.js';
import type { Table } from './table.js';

type MemoryRow = Exclude<RowOf<'memory'>, 'inventory'>;

const namespace = 'memory';
const titles: Readonly<Record<MemoryRow, string>> = {
  'memory-create': 'deploy, all created',
  'memory-unchanged': 'deploy, nothing changed',
  'memory-changed': 'deploy, one object changed',
  'memory-plan': 'plan, read-only, one object changed',
  'memory-destroy': 'destroy',
};

/** Peak memory of whole processes over very many ConfigMaps, beside a bare loop that sends a request for each. */
export async function memoryTable(options: BenchOptions): Promise<Table> {
  const server = await startBenchServer(options);
  if ('skipped' in server) return { caption: [server.skipped], columns: [], rows: [] };
  try {
    const { objects = 30_000, rounds = 1, stacks = 1 } = options;
    const divided = stacks === 1 ? '' : ` in ${stacks} stacks`;
    const api = options.embedded ? 'the embedded API server' : `kube-apiserver ${kubernetesVersion()}`;
    const caption = [
      `Peaks of resident memory with ${objects.toLocaleString('en')} ConfigMaps${divided}, ${api}.`,
      `Medians of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}. In brackets: time and CPU.`,
    ];
    return comparisonTable(caption, await compare(server, { ...options, objects, rounds, stacks }), 'floor');
  } finally {
    await server.stop();
  }
}

async function compare(
  server: BenchServer,
  { objects: count, rounds, stacks, rows: named }: Required<BenchOptions>,
): Promise<Comparison[]> {
  const objects = Array.from({ length: count }, (_, index) => configMap(nameOf(index), namespace, index));
  const [bare, ours] = await prepare(server, objects, stacks);
  const floors = new Map<MemoryRow, Cost[]>();
  const costs = new Map<MemoryRow, Cost[]>();
  let inventory = Number.NaN;
  const chosen = chosenRows('memory', named);
  for (let round = 0; round < rounds; round++) {
    for (const [commands, found, title] of [
      [bare, floors, 'bare loop'],
      [ours, costs, 'Fieldwise'],
    ] as const) {
      for (const row of Object.keys(titles) as MemoryRow[]) {
        if (!chosen.includes(row) && row !== 'memory-create' && row !== 'memory-destroy') continue;
        process.stderr.write(`memory: round ${round + 1} of ${rounds}: ${title}, ${row}\n`);
        found.set(row, [...(found.get(row) ?? []), await costOf(commands[row], server)]);
        if (found === costs && row === 'memory-create') inventory = await inventoryBytes(server.connection);
      }
    }
  }
  return chosen.map((row) => {
    if (row === 'inventory') return { row, what: 'inventory in the cluster', ours: inventory, text: megabytes };
    const of = (found: typeof costs, quantity: keyof Cost) => median((found.get(row) ?? []).map((cost) => cost[quantity]));
    return {
      row,
      what: titles[row],
      ours: of(costs, 'peak'),
      peer: { title: 'bare loop', value: of(floors, 'peak') },
      text: megabytes,
      note: `${of(costs, 'seconds').toFixed(1)} s, ${of(costs, 'cpu').toFixed(1)} s`,
    };
  });
}

/** Writes the files of both. A bare loop plans by dry runs. */
async function prepare(server: BenchServer, objects: readonly JsonObject[], stacks: number) {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await bareLoop(server.connection, [{ path: `/api/v1/namespaces/${namespace}?fieldManager=bench`, body }]);
  const changed = withOneChange(objects);
  const [bareDirectory, directory] = [path.join(server.directory, 'bare'), path.join(server.directory, 'ours')];
  await mkdir(bareDirectory);
  await mkdir(directory);
  const bare = await bareLoopCommands(server.bareLoop, bareDirectory, objects, changed);
  const ours = await fieldwiseOfStacks(stacks).prepare({ directory, objects, changed });
  return [
    byRow({ ...bare, plan: bare.preview }),
    byRow({
      create: ours.create,
      unchanged: ours.unchanged!,
      changed: ours.changed!,
      destroy: ours.destroy,
      plan: readOnlyPlan(directory),
    }),
  ] as const;
}

function byRow<Command>(commands: Readonly<Record<'create' | 'unchanged' | 'changed' | 'plan' | 'destroy', Command>>) {
  return {
    'memory-create': commands.create,
    'memory-unchanged': commands.unchanged,
    'memory-changed': commands.changed,
    'memory-plan': commands.plan,
    'memory-destroy': commands.destroy,
  } satisfies Record<MemoryRow, Command>;
}
