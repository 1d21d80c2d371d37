import { isDeepStrictEqual } from 'node:util';
import type { Strategy } from '../../src/assembly/policy-vocabulary.js';
import type { Assembly } from '../../src/assembly/types.js';
import type { JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { ResponseBody } from '../harness/api-client.js';
import { type ObjectRef, ref, TestCluster } from '../harness/cluster.js';
import { type Owners, ownersOf } from '../harness/managed-fields.js';
import { config, type Declared, service, synthesized } from '../simulator/declared.js';
import { errorsOf, runDeploy } from './engine.js';

const stacks = 8;
const objects = 20;
/** Programs of one stack that the rounds choose from. */
const variants = 6;

/** One version of one stack: what it declares of each shared object, by number; absent where it drops it. */
interface Variant {
  readonly assembly: Assembly;
  readonly manager: string;
  readonly declared: ReadonlyMap<number, Declared>;
}

/**
 * Stacks of eight programs share twenty objects of somebody else and deploy at the same time, round by round, each with a version of its
 * program chosen at random, while their owner writes to them, too. After each round an object holds exactly what the stacks of that round
 * declare, plus what its owner has.
 */
export async function concurrencyCampaign(
  kubeconfig: string,
  name: string,
  rounds: number,
  strategy: Strategy,
  random: Random,
): Promise<[number, string[]][]> {
  const cluster = new TestCluster(kubeconfig);
  await cluster.create('somebody', ref('v1', 'Namespace', name));
  const programs = await Promise.all(
    Array.from({ length: stacks }, async (_, stack) => {
      const made: Variant[] = [];
      for (let variant = 0; variant < variants; variant++) made.push(await variantOf(`${name}-${stack}`, stack, random));
      return made;
    }),
  );
  await Promise.all(Array.from({ length: objects }, (_, index) => ownerWrites(cluster, name, index, 'first')));
  const written = Array.from({ length: objects }, () => 'first');
  const results: [number, string[]][] = [];
  for (let round = 1; round <= rounds; round++) {
    const chosen = programs.map((made) => random.pick(made));
    const busy = Array.from({ length: objects }, (_, index) => index).filter(() => random.chance(0.3));
    for (const index of busy) written[index] = `round ${round}`;
    const [finished] = await Promise.all([
      Promise.all(chosen.map(({ assembly }) => runDeploy(assembly, { kubeconfig, namespace: name, strategy }))),
      ...busy.map((index) => ownerWrites(cluster, name, index, `round ${round}`)),
    ]);
    const problems = finished.flatMap((one, stack) => errorsOf(`stack ${stack}`, one));
    const live = await shared(cluster, name);
    for (let index = 0; index < objects; index++) {
      problems.push(...check(live.get(nameOf(index)), index, chosen, written[index]!, strategy));
    }
    results.push([round, problems]);
  }
  cluster.client.close();
  return results;
}

async function variantOf(app: string, stack: number, random: Random): Promise<Variant> {
  const declared = new Map<number, Declared>();
  for (let index = 0; index < objects; index++) {
    if (random.chance(0.5)) declared.set(index, { lifecycle: 'share', object: contribution(index, stack, random) });
  }
  if (declared.size === 0) declared.set(0, { lifecycle: 'share', object: contribution(0, stack, random) });
  const { assembly } = await synthesized(app, { shares: [...declared.values()] });
  return { assembly, manager: assembly.manifest.stacks[0]!.manager, declared };
}

/** Fields of this stack alone, and now and then one that every stack declares with the same value. */
function contribution(index: number, stack: number, random: Random): JsonObject {
  const value = `value ${random.below(3)}`;
  if (isService(index)) return service(nameOf(index), 1000 + stack * 10 + random.below(3), `stack-${stack}`);
  const data: Record<string, string> = { [`stack-${stack}`]: value };
  if (random.chance(0.4)) data.common = 'same';
  if (random.chance(0.4)) data[`more-${stack}`] = value;
  return { ...config(nameOf(index), data), metadata: { name: nameOf(index), labels: { [`stack-${stack}`]: 'here' } } };
}

const isService = (index: number) => index % 4 === 3;
const nameOf = (index: number) => `shared-${index}`;

async function ownerWrites(cluster: TestCluster, namespace: string, index: number, value: string): Promise<void> {
  const object = isService(index) ? service(nameOf(index), 80, 'owner') : config(nameOf(index), { owner: value, still: 'here' });
  const annotations = { owner: value };
  const metadata = { ...(object.metadata as { name: string }), namespace, annotations };
  await cluster.apply('owner', { ...object, metadata } as unknown as ObjectRef, { force: true });
}

/** The shared objects by name. */
async function shared(cluster: TestCluster, namespace: string): Promise<ReadonlyMap<string, ResponseBody>> {
  const lists = await Promise.all(['ConfigMap', 'Service'].map((kind) => cluster.list('v1', kind, namespace)));
  return new Map(lists.flat().map((object) => [object.metadata.name, object]));
}

/** Compares an object with what the stacks declare and what its owner wrote last: values, and owners or memories of the strategy dynamic. */
function check(live: ResponseBody, index: number, chosen: readonly Variant[], written: string, strategy: Strategy): string[] {
  if (live === undefined) return [`${nameOf(index)} is gone`];
  const { content, owners } = expectedOf(index, chosen, written);
  const { owner: _, ...stacks } = owners;
  const dynamic = strategy === 'dynamic';
  const expected = { content, owners: dynamic ? Object.keys(stacks).sort() : owners };
  const actual = { content: contentOf(live, index), owners: dynamic ? remembered(live) : withoutServer(ownersOf(live)) };
  return isDeepStrictEqual(actual, expected)
    ? []
    : [`${nameOf(index)}:\n    expected ${JSON.stringify(expected)}\n    actual   ${JSON.stringify(actual)}`];
}

function expectedOf(index: number, chosen: readonly Variant[], value: string) {
  const shares = chosen.flatMap(({ manager, declared }) => {
    const object = declared.get(index)?.object as ResponseBody;
    return object ? [{ manager, object }] : [];
  });
  const owners: Owners = {};
  for (const { manager, object } of shares) owners[manager] = isService(index) ? portPaths(object) : mapPaths(object);
  if (isService(index)) {
    owners.owner = ['.metadata.annotations.owner', ...portPaths(service('', 80, 'owner'))].sort();
    const ports = [service('', 80, 'owner') as ResponseBody, ...shares.map(({ object }) => object)].flatMap(({ spec }) => spec.ports);
    return { content: { annotations: { owner: value }, ports: names(ports) }, owners };
  }
  owners.owner = ['.data.owner', '.data.still', '.metadata.annotations.owner'];
  const data = Object.assign({ owner: value, still: 'here' }, ...shares.map(({ object }) => object.data));
  const labels = Object.assign({}, ...shares.map(({ object }) => object.metadata.labels));
  return { content: { annotations: { owner: value }, data, labels }, owners };
}

function contentOf(live: ResponseBody, index: number) {
  const { labels = {} } = live.metadata;
  const annotations = Object.fromEntries(annotationsOf(live).filter(([name]) => !name.startsWith(memory)));
  return isService(index) ? { annotations, ports: names(live.spec.ports) } : { annotations, data: live.data, labels };
}

const memory = 'applied.fieldwise.dev/';

/** The stacks that keep a memory at the object. */
function remembered(live: ResponseBody): string[] {
  return annotationsOf(live)
    .flatMap(([name, text]) => (name.startsWith(memory) ? [JSON.parse(text).manager] : []))
    .sort();
}

function annotationsOf(live: ResponseBody): [string, string][] {
  return Object.entries(live.metadata.annotations ?? {});
}

function mapPaths(object: ResponseBody): string[] {
  const data = Object.keys(object.data).map((key) => `.data.${key}`);
  return [...data, ...Object.keys(object.metadata.labels).map((key) => `.metadata.labels.${key}`)].sort();
}

function portPaths({ spec }: ResponseBody): string[] {
  const item = ({ port, protocol }: ResponseBody) => `.spec.ports[port=${port},protocol=${JSON.stringify(protocol)}]`;
  const ports = spec.ports.flatMap((port: ResponseBody) => ['name', 'port', 'protocol'].map((field) => `${item(port)}.${field}`));
  return [...ports, '.spec.selector'].sort();
}

function names(ports: readonly ResponseBody[]): string[] {
  return [...new Set(ports.map(({ name, port }) => `${name} ${port}`))].sort();
}

/** Owners without managers that are gone. */
function withoutServer(owners: Owners): Owners {
  return Object.fromEntries(Object.entries(owners).filter(([, paths]) => paths.length > 0));
}
