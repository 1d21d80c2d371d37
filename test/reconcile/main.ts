import type { PartialObject } from '../../src/assembly/types.js';
import { findUnchanged, type SkipCandidate, type Unchanged } from '../../src/engine/apply/skip/find-unchanged.js';
import { NoopFingerprints, rememberedFingerprint } from '../../src/engine/apply/skip/noop-fingerprint.js';
import { AdmissionLook } from '../../src/engine/apply/skip/observers/admission-look.js';
import { SchemaFingerprints } from '../../src/engine/apply/skip/schema-fingerprints.js';
import { digestOfIntent } from '../../src/engine/graph/intent-digest.js';
import type { Step } from '../../src/engine/graph/waves.js';
import type { InventoryEntry } from '../../src/engine/inventory/inventory-entry.js';
import { ApiError, type ClusterClient, connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';
import { appliedLast, isIntentApplied } from '../../src/ownership/index.js';
import { type JsonObject, jsonEqual } from '../../src/util/json.js';
import { Random } from '../corpus/random.js';
import { readCount, readFlags } from '../harness/script-flags.js';
import { startServer } from '../harness/server.js';
import { RandomAdmission, seenText } from './random-admission.js';
import { boothCrd, boothGroup, kinds, type RandomKind, randomIntent } from './random-intent.js';

const noopFingerprints = new NoopFingerprints();
const unobserved = new Set<Step>();

const usage = `Usage: npm run campaign -- prove:reconcile [--states 10000] [--seed 1]
Proves \`reconcile: auto\` on a real API server with objects in random states, written by several managers. The engine predicts whether an
intent needs to be sent. If not, the PATCH is sent nevertheless, and neither resourceVersion nor managedFields may change. Every other batch
has random webhooks and policies, which may not see the PATCH of such an intent either.`;
const { values } = readFlags(usage, { options: { states: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } } });
const [states, seed] = [readCount(usage, 'states', values.states), readCount(usage, 'seed', values.seed)];
const ours = 'fieldwise-ours';
const atOnce = 50;
let admission: RandomAdmission;
const counts = { states: 0, unchanged: 0, remembered: 0, missed: 0, sent: 0, seen: 0, failed: 0 };

async function main(): Promise<void> {
  const server = await startServer();
  admission = await RandomAdmission.start();
  try {
    const cluster = createClusterClient(new Transport(await connect({ kubeconfig: server.kubeconfig })), 'default');
    await cluster.apply(await addressOf(cluster, boothCrd), boothCrd, { manager: 'test', force: true });
    for (let tries = 0; tries < 100; tries++) {
      if (await cluster.resourceOf(`${boothGroup}/v1`, 'Booth').catch(() => undefined)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const random = new Random(seed);
    for (let batch = 0; counts.states < states; batch++) await proveBatch(cluster, random, `reconcile-${seed}-${batch}`, batch);
    cluster.close();
  } finally {
    await admission.stop();
    await server.stop();
  }
  console.log(
    `seed ${seed}: ${counts.states} random states, each looked at twice; ${counts.unchanged} times said to be unchanged and proved by sending ` +
      `the PATCH, ${counts.remembered} of them by what was noted before; ` +
      `${counts.sent} needed it; ${counts.missed} would have been unchanged, too; ${counts.seen} were sent because admission may see them`,
  );
  console.log(`${counts.states - counts.failed} passed, ${counts.failed} failed`);
  const useful = counts.unchanged * 10 > counts.states && counts.remembered * 10 > counts.states;
  if (!useful) console.log('FAILED: fewer than a tenth of the states were said to be unchanged, so most of what is proved was never said');
  process.exitCode = counts.failed === 0 && useful ? 0 : 1;
}

async function proveBatch(cluster: ClusterClient, random: Random, namespace: string, batch: number): Promise<void> {
  const kind = kinds[batch % kinds.length] as RandomKind;
  const place: PartialObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { team: random.pick(['red', 'green']) } },
  };
  await cluster.apply(await addressOf(cluster, place), place, { manager: 'test', force: true });
  const seeds = Array.from({ length: Math.min(atOnce, states - counts.states) }, () => random.below(2 ** 32));
  const made = await Promise.all(seeds.map((own, index) => makeState(cluster, new Random(own), kind, namespace, `s-${index}`)));
  const candidates = made.filter((candidate) => candidate !== undefined);
  const unconfigure = batch % 2 === 0 ? undefined : await admission.configure(cluster, random, namespace);
  const fingerprints = new SchemaFingerprints(cluster);
  const resource = await cluster.resourceOf(candidates[0]!.step.intent.apiVersion, kind);
  const schema = (await fingerprints.fingerprintOf(resource)) as string;
  const known = candidates.map(({ step, known: entry }) => ({ step, known: { ...(entry as InventoryEntry), schema } }));
  const unchanged = await findUnchanged(cluster, known, optionsOf(cluster, fingerprints));
  const after = await Promise.all(known.map((candidate) => prove(cluster, candidate, unchanged.get(candidate.step))));
  counts.states += candidates.length;
  await proveRemembered(cluster, random, after, fingerprints);
  await unconfigure?.();
}

function optionsOf(cluster: ClusterClient, schemaFingerprints: SchemaFingerprints) {
  const onSeen = () => {
    counts.seen += 1;
  };
  const onUnseen = (step: Step) => unobserved.add(step);
  return { schemaFingerprints, noopFingerprints, concurrency: 4, admission: new AdmissionLook(cluster, []), onSeen, onUnseen };
}

/**
 * What an answer has just shown to be unchanged is noted as a deploy notes it; of some of those others write once more, of some the program
 * declares something else.
 */
async function proveRemembered(
  cluster: ClusterClient,
  random: Random,
  noted: readonly SkipCandidate[],
  fingerprints: SchemaFingerprints,
): Promise<void> {
  const candidates = await Promise.all(
    noted.map(async ({ step, known }) => {
      const { kind, namespace = '', name } = step.intent;
      const writer = new Random(random.below(2 ** 32));
      if (writer.chance(0.3)) await writeOne(cluster, writer, randomIntent(writer, kind as RandomKind, namespace, name));
      const object = writer.chance(0.1) ? randomIntent(writer, kind as RandomKind, namespace, name) : step.object;
      return { step: { ...step, object, digest: digestOfIntent(object) }, known };
    }),
  );
  const unchanged = await findUnchanged(cluster, candidates, optionsOf(cluster, fingerprints));
  counts.remembered += candidates.filter(
    ({ step, known }) => known?.noopFingerprint !== undefined && unchanged.get(step)?.noopFingerprint === known.noopFingerprint,
  ).length;
  await Promise.all(candidates.map((candidate) => prove(cluster, candidate, unchanged.get(candidate.step))));
}

/** An object after some writes of this and other managers, and the current intent; undefined if none could be made. */
async function makeState(
  cluster: ClusterClient,
  random: Random,
  kind: RandomKind,
  namespace: string,
  name: string,
): Promise<SkipCandidate | undefined> {
  let intent = randomIntent(random, kind, namespace, name);
  const before = random.below(2);
  for (let write = 0; write < before; write++) await writeOne(cluster, random, randomIntent(random, kind, namespace, name));
  for (let tries = 0; !(await accepted(cluster, intent, ours)); tries++) {
    if (tries === 20) return undefined;
    intent = randomIntent(random, kind, namespace, name);
  }
  const after = random.below(3);
  for (let write = 0; write < after; write++) await writeOne(cluster, random, randomIntent(random, kind, namespace, name));
  if (random.chance(0.1)) intent = randomIntent(random, kind, namespace, name);
  if (random.chance(0.1)) intent = shuffled(random, intent);
  const live = await cluster.get(await addressOf(cluster, intent));
  const { uid, resourceVersion } = live.metadata as { uid: string; resourceVersion: string };
  const { apiVersion } = intent;
  const identity = { apiVersion, kind, namespace, name, lifecycle: 'own' as const };
  const known = { ...identity, uid, resourceVersion, deletable: true, deletePropagation: 'Background' as const, items: [] };
  const policy = { adopt: false };
  const step = {
    stack: { name: 'stack', manager: ours },
    index: 0,
    intent: { ...identity, policy },
    object: intent,
    digest: digestOfIntent(intent),
    key: name,
  };
  return { step: step as unknown as Step, known };
}

/** A write of somebody: by apply of another manager, or by an update that keeps, changes or removes what is there. */
async function writeOne(cluster: ClusterClient, random: Random, intent: PartialObject): Promise<void> {
  if (random.chance(0.6)) {
    await accepted(cluster, intent, random.pick(['them', 'others', ours]));
    return;
  }
  const address = await addressOf(cluster, intent);
  const live = await cluster.tryGet(address);
  if (!live) return;
  const { metadata, apiVersion: _, kind: __, ...content } = live;
  const change = random.chance(0.5) ? { ...content, ...merged(content, intent) } : reversed(content);
  const { labels } = intent.metadata;
  const body = { ...live, ...change, metadata: { ...(metadata as JsonObject), ...(labels ? { labels } : {}) } };
  await cluster.replace(address, body, random.pick(['editor', 'them', ours])).catch(unlessRefused);
}

function merged(content: JsonObject, intent: PartialObject): JsonObject {
  const { apiVersion: _, kind: __, metadata: ___, ...members } = intent;
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, { ...(content[name] as JsonObject | undefined), ...(value as JsonObject) }]),
  );
}

/** The same with all lists the other way round. */
function reversed<Value>(value: Value): Value {
  if (Array.isArray(value)) return [...value].reverse().map(reversed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, reversed(member)])) as Value;
}

function shuffled(random: Random, intent: PartialObject): PartialObject {
  return random.chance(0.5) ? (reversed(intent) as PartialObject) : intent;
}

/** @returns what the inventory knows after the PATCH. */
async function prove(cluster: ClusterClient, candidate: SkipCandidate, expected: Unchanged | undefined): Promise<SkipCandidate> {
  const { step, known } = candidate;
  const address = await addressOf(cluster, step.object);
  const live = await cluster.get(address);
  const options = { manager: ours, force: false };
  const { namespace = '', name } = step.intent;
  admission.tookNotice(namespace, name); // of what came before
  const response = await cluster.apply(address, step.object, options).catch(unlessRefused);
  const after = response?.object ?? {};
  const isSeen = admission.tookNotice(namespace, name) || response?.warnings.some((text) => text.includes(seenText)) === true;
  const before = live.metadata as JsonObject;
  const metadata = after.metadata as JsonObject | undefined;
  const same = metadata?.resourceVersion === before.resourceVersion && jsonEqual(metadata?.managedFields, before.managedFields);
  const { uid, resourceVersion } = (metadata ?? {}) as { uid?: string; resourceVersion?: string };
  const entry = { ...(known as InventoryEntry), ...(uid && resourceVersion ? { uid, resourceVersion } : {}) };
  const isNoop = same && appliedLast(after, ours) && (unobserved.has(step) || isIntentApplied(after, step.object, ours));
  const learned = rememberedFingerprint(noopFingerprints, () => isNoop, step, entry, known);
  const next = { step, known: { ...entry, ...learned } };
  if (expected === undefined) {
    counts[same ? 'missed' : 'sent'] += 1;
    return next;
  }
  counts.unchanged += 1;
  if (same && !isSeen && expected.resourceVersion === before.resourceVersion) return next;
  counts.failed += 1;
  console.log(`FAILED ${JSON.stringify({ intent: step.object, live, after, isSeen })}`);
  return next;
}

async function accepted(cluster: ClusterClient, intent: PartialObject, manager: string): Promise<boolean> {
  const answer = await cluster.apply(await addressOf(cluster, intent), intent, { manager, force: true }).catch(unlessRefused);
  return answer !== undefined;
}

/** Random objects may be invalid, and stale by the time they are written. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof ApiError && error.code < 500) return undefined;
  throw error;
}

async function addressOf(cluster: ClusterClient, object: PartialObject) {
  const resource = await cluster.resourceOf(object.apiVersion, object.kind);
  const { name, namespace } = object.metadata;
  return { resource, ...(namespace === undefined ? {} : { namespace }), name };
}

await main();
