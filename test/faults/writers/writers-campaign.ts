import { join } from 'node:path';
import type { Assembly } from '../../../src/assembly/types.js';
import type { ObjectReport } from '../../../src/deploy/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import type { Random } from '../../corpus/random.js';
import type { ResponseBody } from '../../harness/api-client.js';
import { ref } from '../../harness/cluster.js';
import { InterceptionProxy } from '../../harness/interception-proxy.js';
import { type EngineRun, errorsOf, runDeploy, runDestroy } from '../engine.js';
import { config, type Declared, synthesized } from '../programs.js';
import { History } from './history.js';
import { reportErrors } from './report-errors.js';
import { configNames, keys, panelNames, panelVersion, Scene } from './scene.js';
import { startWebhook } from './webhook.js';

const stacks = 3;
/** Programs of one stack that the rounds choose from. */
const variants = 8;

/** A stack, the proxy that notes what it writes, and the versions of its program. */
interface Writer {
  readonly manager: string;
  readonly proxy: InterceptionProxy;
  readonly programs: readonly Assembly[];
  /** resourceVersions that the server answered to its writes. */
  readonly writtenVersions: Set<string>;
}

/**
 * Three stacks deploy again and again while others write to the same objects: appliers and updaters, deletions and recreations, a list
 * type that changes, a namespace that is deleted, and a webhook that changes what passes. Each state of each object is watched: a foreign
 * value that a stack's write changed must stand in that stack's report, and each result word must be what the states show. In the end
 * everything is destroyed, and nothing of the stacks may be left.
 *
 * @returns by round what was wrong, and how often each result and error was met.
 */
export async function writersCampaign(
  kubeconfig: string,
  name: string,
  rounds: number,
  random: Random,
  directory: string,
): Promise<{ readonly rounds: readonly (readonly [number, readonly string[]])[]; readonly met: ReadonlyMap<string, number> }> {
  const scene = new Scene(kubeconfig, name, random);
  const inventories = `${name}-inventories`;
  await scene.cluster.create('somebody', ref('v1', 'Namespace', inventories));
  await scene.furnish();
  const webhook = await startWebhook(scene.cluster, name);
  const writers = await Promise.all(Array.from({ length: stacks }, (_, stack) => writerOf(scene, stack, random, directory)));
  const history = await History.follow(scene.cluster.client, scene.collections);
  const results: [number, readonly string[]][] = [];
  const seenOutcomes = new Map<string, number>();
  try {
    for (let round = 1; round <= rounds; round++) {
      const problems = await playRound(round, { scene, history, writers, inventories, random, seenOutcomes: seenOutcomes });
      results.push([round, problems]);
    }
    results.push([rounds + 1, await destroyAll(scene, writers, inventories)]);
  } finally {
    history.stop();
    await webhook.stop();
    for (const { proxy } of writers) await proxy.stop();
    await scene.leave();
  }
  return { rounds: results, met: seenOutcomes };
}

interface Stage {
  readonly scene: Scene;
  readonly history: History;
  readonly writers: readonly Writer[];
  readonly inventories: string;
  readonly random: Random;
  readonly seenOutcomes: Map<string, number>;
}

async function playRound(round: number, { scene, history, writers, inventories, random, seenOutcomes }: Stage): Promise<readonly string[]> {
  const from = new Map(history.names.map((object) => [object, history.of(object).length]));
  const destroys = random.chance(0.08) ? random.below(stacks) : undefined;
  let running = true;
  const write = async () => {
    while (running) {
      await scene.write();
      await new Promise((resolve) => setTimeout(resolve, random.below(40)));
    }
  };
  const others = Promise.all([write(), write(), write()]);
  const turmoil = round % 50 === 25 ? scene.renewNamespace() : round % 10 === 5 ? scene.flipListType() : Promise.resolve();
  const runs = await Promise.all(
    writers.map(async (writer, stack) => {
      const options = { kubeconfig: writer.proxy.kubeconfig, namespace: inventories, concurrency: 4, patience: 30_000 };
      const program = random.pick(writer.programs);
      const { events, summary } = await (stack === destroys ? runDestroy(program, options) : runDeploy(program, options));
      const reports = events.filter((event): event is ObjectReport => event.event === 'object');
      return { manager: writer.manager, reports, summary, from };
    }),
  );
  running = false;
  await Promise.all([others, turmoil]);
  for (const kind of ['ConfigMap', 'Panel'] as const) await history.until(`${kind} marker`, await scene.mark(kind));
  const authors = { stacks: new Map(writers.map(({ manager, writtenVersions: answered }) => [manager, answered])), foreign: scene.foreign };
  for (const { reports, summary } of runs) {
    for (const { result, error } of reports) count(seenOutcomes, error ? `${result} ${error.code}` : result);
    for (const { code } of summary.errors) count(seenOutcomes, `run: ${code}`);
  }
  return runs.flatMap((run) => reportErrors(run, history, authors));
}

function count(seenOutcomes: Map<string, number>, what: string): void {
  seenOutcomes.set(what, (seenOutcomes.get(what) ?? 0) + 1);
}

async function writerOf(scene: Scene, stack: number, random: Random, directory: string): Promise<Writer> {
  const proxy = await InterceptionProxy.start(scene.cluster.client, join(directory, `${scene.namespace}-${stack}.kubeconfig`));
  const answered = new Set<string>();
  proxy.onResponse = ({ method }, { status, body }) => {
    const resourceVersion = (body as ResponseBody)?.metadata?.resourceVersion;
    if (method !== 'GET' && status < 300 && typeof resourceVersion === 'string') answered.add(resourceVersion);
    return undefined;
  };
  const programs: Assembly[] = [];
  for (let variant = 0; variant < variants; variant++) {
    programs.push((await synthesized(`${scene.namespace}-${stack}`, { part: declaredBy(stack, scene.namespace, random) })).assembly);
  }
  return { manager: programs[0]!.manifest.stacks[0]!.manager, proxy, programs, writtenVersions: answered };
}

/** The first stack forces, the second yields a key, the third stops at foreign values of one. */
function declaredBy(stack: number, namespace: string, random: Random): readonly Declared[] {
  const policy = [undefined, { fields: { 'data.common': { conflicts: 'yield' } } }, { fields: { 'data.b': { conflicts: 'fail' } } }][stack];
  const declared = configNames.flatMap((name): Declared[] => {
    const own = name === `own-${stack}`;
    if (!own && (name.startsWith('own-') ? !random.chance(0.2) : !random.chance(0.6))) return [];
    const chosen = ['common', ...keys.filter(() => random.chance(0.5))];
    const data = Object.fromEntries(chosen.map((key) => [key, `stack ${stack} ${random.below(2)}`]));
    const object = config(name, { ...data, [`stack-${stack}`]: 'here' });
    const more = own ? {} : { ifAbsent: 'fail' };
    return [{ lifecycle: own ? 'own' : 'share', object: placed(object, namespace), config: { ...policy, ...more } as JsonObject }];
  });
  const panels = panelNames
    .filter(() => random.chance(0.6))
    .map((name): Declared => {
      const entries = [{ name: `stack-${stack}`, note: `stack ${random.below(3)}` }];
      const object = { apiVersion: panelVersion, kind: 'Panel', metadata: { name }, spec: { entries } };
      return { lifecycle: 'share', object: placed(object, namespace), config: { ifAbsent: 'fail' } };
    });
  return [...declared, ...panels];
}

function placed(object: JsonObject, namespace: string): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), namespace } };
}

/**
 * Returns the objects that a destroy could not release, since the list of their last items becomes null, which the schema of a Panel does not allow
 * (docs/decisions/10). It happens if the list type changes between the applies.
 */
function refusedForNull({ events }: EngineRun): readonly string[] {
  return events.flatMap((event) =>
    event.event === 'object' && event.error?.code === 'release-rejected' && /must be of type array: "null"/.test(event.error.message)
      ? [event.object]
      : [],
  );
}

/** Destroys the stacks while nobody writes; what is left of them then. */
async function destroyAll(scene: Scene, writers: readonly Writer[], inventories: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const retained = new Set<string>();
  for (const { manager, programs, proxy } of writers) {
    const options = { kubeconfig: proxy.kubeconfig, namespace: inventories, retryTimeoutMs: 30_000 };
    const first = await runDestroy(programs[0]!, options);
    const refused = refusedForNull(first);
    for (const object of refused) retained.add(`${object} ${manager}`);
    if (refused.length > 0)
      console.log(`writers: kept, because the server would make an emptied list null, and refuses it: ${refused.join(', ')}`);
    // As the message says.
    const last = refused.length > 0 ? await runDestroy(programs[0]!, { ...options, retainRejected: true }) : first;
    problems.push(...errorsOf(`destroy of ${manager}`, last));
  }
  for (const { kind = 'object', metadata } of await scene.objects()) {
    for (const { manager } of metadata.managedFields ?? []) {
      if (manager.startsWith('fieldwise') && !retained.has(`${kind} ${scene.namespace}/${metadata.name} ${manager}`))
        problems.push(`${kind} ${metadata.name} has an entry of ${manager} after destroy`);
    }
  }
  for (const [apiVersion, kind] of [
    ['v1', 'ConfigMap'],
    ['coordination.k8s.io/v1', 'Lease'],
    ['v1', 'Secret'],
  ] as const) {
    for (const { metadata } of await scene.cluster.list(apiVersion, kind, inventories)) {
      if (metadata.name !== 'kube-root-ca.crt') problems.push(`${kind} ${metadata.name} is left in the inventory namespace`);
    }
  }
  return problems;
}
