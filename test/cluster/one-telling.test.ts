import { expect, test } from 'vitest';
import type { PlannedObject } from '../../src/deploy/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { Random } from '../corpus/random.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { rowsOfPlan, rowsOfRecord, untrue } from '../harness/telling-rows.js';
import { TestEnvironment } from '../harness/test-environment.js';

// Random histories: stacks deploy programs one after the other, and others write in between. What a plan says, right before, is what the record of the
// deploy says, row by row; and an observer that reads the objects by its own client finds each change in the record, and none that did not happen.

const histories = Number(process.env.HISTORIES ?? 6);
const firstSeed = Number(process.env.HISTORIES_SEED ?? 1);
const steps = 5;

const testEnvironment = await TestEnvironment.create('telling');
const { cluster } = testEnvironment;

type Kind = 'ConfigMap' | 'Service' | 'Deployment';
const apiVersions: Readonly<Record<Kind, string>> = { ConfigMap: 'v1', Service: 'v1', Deployment: 'apps/v1' };

/** Returns some of the fields that an object of a kind can have; those without which there is no such object are in each full one. */
function contentOf(random: Random, kind: Kind, name: string, isFull: boolean): JsonObject {
  const maybe = (likelihood: number, part: () => JsonObject): JsonObject => (random.chance(likelihood) ? part() : {});
  const some = <Item>(items: readonly Item[], likelihood: number): Item[] =>
    shuffled(random, items).filter(() => random.chance(likelihood));
  const labels = maybe(0.4, () => ({ metadata: { labels: maybe(0.8, () => ({ rev: random.pick(['a', 'b', 'c']) })) } }));
  if (kind === 'ConfigMap')
    return { ...labels, data: Object.fromEntries(some(['a', 'b', 'c', 'd'], 0.6).map((key) => [key, random.pick(['1', '2', '3'])])) };
  if (kind === 'Service') {
    const ports = [
      { port: 80, protocol: 'TCP', name: 'http', ...maybe(0.3, () => ({ targetPort: random.pick([8080, 'web']) })) },
      { port: 443, protocol: 'TCP', name: 'https', ...maybe(0.3, () => ({ appProtocol: random.pick(['http', 'kubernetes.io/h2c']) })) },
    ];
    return {
      ...labels,
      spec: {
        ...(isFull ? { selector: { app: name }, ports: [ports[0]!, ...some(ports.slice(1), 0.6)] } : {}),
        ...maybe(0.5, () => ({ type: random.pick(['ClusterIP', 'NodePort']) })),
        ...maybe(0.5, () => ({ sessionAffinity: random.pick(['None', 'ClientIP']) })),
        ...maybe(0.2, () => ({ publishNotReadyAddresses: random.chance(0.5) })),
      },
    };
  }
  const env = some(['A', 'B', 'C'], 0.7).map((variable) => ({ name: variable, value: random.pick(['1', '2']) }));
  const containers = [
    { name: 'api', image: `registry.example.com/a:${random.below(3)}`, ...maybe(0.6, () => ({ env })) },
    { name: 'sidecar', image: 'registry.example.com/b:1', ...maybe(0.3, () => ({ args: some(['-a', '-b', '-c'], 0.7) })) },
  ];
  const full = shuffled(random, [containers[0]!, ...some(containers.slice(1), 0.6)]);
  const pod = maybe(0.3, () => ({ terminationGracePeriodSeconds: random.pick([10, 30]) }));
  const template = {
    ...(isFull ? { metadata: { labels: { app: name } } } : {}),
    spec: { ...(isFull ? { containers: full } : {}), ...pod },
  };
  return {
    ...labels,
    spec: {
      ...(isFull ? { selector: { matchLabels: { app: name } } } : {}),
      ...maybe(0.5, () => ({ replicas: random.below(4) })),
      ...maybe(0.3, () => ({ minReadySeconds: random.below(3) })),
      ...(isFull || Object.keys(pod).length > 0 ? { template } : {}),
    },
  };
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

interface Told {
  readonly compared: number;
  readonly notPlanned: number;
}

/** Plans, deploys, and compares. @returns the number of objects of which rows were compared, and of those whose plan was no promise. */
async function deployAndCompare(
  project: Project,
  refs: readonly { readonly kind: Kind; readonly name: string }[],
  title: string,
): Promise<Told> {
  const find = ({ kind, name }: (typeof refs)[number]) => cluster.find(testEnvironment.ref(apiVersions[kind], kind, name));
  const planned = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan') as readonly PlannedObject[];
  const before = await Promise.all(refs.map(find));
  const report = await project.deploy(['--yes', '--no-wait']);
  const after = await Promise.all(refs.map(find));
  let [compared, notPlanned] = [0, 0];
  for (const [index, { kind, name }] of refs.entries()) {
    const plan = planned.find((one) => one.kind === kind && one.name === name);
    const record = report.objects.find((one) => one.kind === kind && one.name === name);
    const [old, now] = [before[index] as JsonObject | undefined, after[index] as JsonObject | undefined];
    const where = `${title}, ${kind}: ${JSON.stringify({ plan, record })}`;
    if (plan === undefined || record === undefined || old === undefined || now === undefined) continue;
    if (plan.action === 'blocked') {
      notPlanned++;
      expect(['failed', 'conflict', 'skipped'], where).toContain(record.result);
      continue;
    }
    const isWritten = old.metadata && (old.metadata as JsonObject).resourceVersion !== (now.metadata as JsonObject).resourceVersion;
    expect(isWritten, where).toBe(!['unchanged', 'absent', 'retained'].includes(record.result));
    expect(rowsOfRecord(record), where).toEqual(rowsOfPlan(plan));
    expect(untrue(old, now, rowsOfRecord(record)), where).toEqual([]);
    compared++;
  }
  return { compared, notPlanned };
}

const seeds = Array.from({ length: histories }, (_, index) => firstSeed + index);

test.each(seeds)('history %i: the plan, the record and the object say the same', { timeout: 300_000 }, async (seed) => {
  const random = new Random(seed * 7919);
  const refs = [0, 1].map((index) => ({ kind: random.pick(Object.keys(apiVersions) as Kind[]), name: `h${seed}-${index}` }));
  const projects = [testEnvironment.program({ main: [] }), testEnvironment.program({ main: [] })];
  const policy = () => ({
    wait: false,
    deletePropagation: 'Background',
    ...(random.chance(0.3) ? { conflicts: random.pick(['yield', 'force']) } : {}),
    ...(random.chance(0.15) ? { strategy: 'dynamic' } : {}),
  });
  const policies = [policy(), policy()];
  let compared = 0;
  for (let step = 0; step < steps; step++) {
    const which = step === 0 || random.chance(0.7) ? 0 : 1;
    const declared = refs.flatMap(({ kind, name }) => {
      if (step > 0 && random.chance(0.1)) return [];
      const object = { apiVersion: apiVersions[kind], kind, ...contentOf(random, kind, name, which === 0) } as JsonObject;
      const metadata = { ...(object.metadata as JsonObject | undefined), name };
      const { deletePropagation: _, ...sharing } = policies[1]!;
      return [which === 0 ? own({ ...object, metadata }, policies[0]) : share({ ...object, metadata }, { ...sharing, ifAbsent: 'create' })];
    });
    projects[which]!.write({ 'main.ts': testEnvironment.text({ [which === 0 ? 'main' : 'other']: declared }) });
    const told = await deployAndCompare(projects[which]!, refs, `seed ${seed}, step ${step}`);
    compared += told.compared;
    for (const { kind, name } of refs) {
      if (random.chance(0.4)) continue;
      const content = contentOf(random, kind, name, false);
      const target = testEnvironment.ref(apiVersions[kind], kind, name);
      if ((await cluster.find(target)) === undefined) continue;
      const written = { ...content, metadata: { ...(content.metadata as JsonObject | undefined), ...target.metadata } };
      const write = random.chance(0.5)
        ? cluster.apply(random.pick(['rival', 'platform']), { ...target, ...written }, { force: random.chance(0.7) })
        : cluster.patch('kubectl-edit', target, content);
      await write.catch(() => undefined); // a conflict, or an object that the server does not accept
    }
  }
  expect(compared, `seed ${seed} compares something`).toBeGreaterThan(0);
});
