import type { ResponseBody } from '../harness/api-client.js';
import type { TestCluster } from '../harness/cluster.js';
import { poll } from '../harness/poll.js';
import { dumpOf, normalized } from './dump.js';
import type { Situation, Stage } from './situations.js';

const seconds = 60;
const quietMs = 2_000;

/** Lets a situation come about, and returns what is there then, when it no longer changes. */
export async function runSituation(cluster: TestCluster, { name, steps, beside }: Situation): Promise<readonly string[]> {
  const namespace = `control-plane-${name}`;
  const stage: Stage = { cluster, namespace };
  const made: ResponseBody[] = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }];
  await cluster.create('test', made[0]);
  try {
    await poll('the namespace has a ServiceAccount', () =>
      cluster.find({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }),
    );
    for (const { name: step, create = [], change, until } of steps) {
      for (const object of create) {
        const own = JSON.parse(JSON.stringify(object).replaceAll('NAMESPACE', namespace)) as ResponseBody;
        const isClusterWide = own.metadata.name.startsWith(`${namespace}-`);
        const placed = isClusterWide ? own : { ...own, metadata: { ...own.metadata, namespace } };
        await cluster.create('test', placed);
        if (isClusterWide) made.push(placed);
      }
      await change?.(stage);
      await poll(`${name}: ${step}`, () => until(stage).catch(() => false), seconds);
    }
    const others = (await beside?.(stage)) ?? [];
    return [...(await settled(cluster, namespace)), ...others.map((object) => normalized(object, namespace))];
  } finally {
    for (const object of made) await cluster.remove(object as never).catch(() => {});
  }
}

/** Returns the dump that stays the same for a while. */
async function settled(cluster: TestCluster, namespace: string): Promise<readonly string[]> {
  let before = await dumpOf(cluster, namespace);
  for (let tries = 0; tries < 15; tries++) {
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const now = await dumpOf(cluster, namespace);
    if (JSON.stringify(now) === JSON.stringify(before)) return now;
    before = now;
  }
  throw new Error(`${namespace} does not come to rest`);
}
