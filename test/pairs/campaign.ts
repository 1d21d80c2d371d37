import { removeCrd } from '../harness/cleanup.js';
import { TestCluster } from '../harness/cluster.js';
import { poll } from '../harness/poll.js';
import type { BrokenRow } from './break.js';
import { checkPair, type Pair } from './check-pair.js';
import { definitionOf } from './definition.js';
import type { DeedRule, Rules } from './rules.js';
import { Scene } from './scene.js';

/** Pairs at once. */
const lanes = 4;

/** Runs pairs, each in a namespace of its own. */
export class Campaign {
  readonly #cluster: TestCluster;
  readonly #common: Promise<unknown>;
  #made = 0;

  constructor(
    kubeconfig: string,
    readonly name: string,
  ) {
    this.#cluster = new TestCluster(kubeconfig);
    this.#common = this.#define('pairs.example.com');
  }

  /** Reports each pair that fails, and where it differs. @returns the number of pairs that failed. */
  run(pairs: readonly Pair[], rules: Rules, report: (line: string) => void): Promise<number> {
    return this.#each(pairs, async (pair) => {
      const problems = await this.#check(pair, rules);
      if (problems.length === 0) return true;
      report(`FAILED ${pair.first}, ${pair.second}`);
      for (const problem of problems.slice(0, 16)) report(`  ${problem.slice(0, 600)}`);
      return false;
    });
  }

  /** Checks a pair by each broken table. @returns the number of tables with which no difference named the broken row. */
  breakRows(rows: readonly BrokenRow[], report: (line: string) => void): Promise<number> {
    return this.#each(rows, async ({ row, change, rules, pair }) => {
      const problems = await this.#check(pair, rules);
      const isNamed = problems.length > 0 && [pair.first, pair.second, ...problems].some((text) => text.includes(row));
      if (!isNamed) report(`FAILED ${pair.first}, ${pair.second} does not find ${change} in the row ${row}: ${problems.join('; ')}`);
      return isNamed;
    });
  }

  async #each<Item>(items: readonly Item[], check: (item: Item) => Promise<boolean>): Promise<number> {
    let [next, failed] = [0, 0];
    const work = async () => {
      while (next < items.length) if (!(await check(items[next++] as Item))) failed += 1;
    };
    await Promise.all(Array.from({ length: lanes }, work));
    return failed;
  }

  close(): void {
    this.#cluster.client.close();
  }

  async #check(pair: Pair, rules: Rules): Promise<readonly string[]> {
    return this.#inScene(pair, rules).catch((error: unknown) => [String((error as Error).stack ?? error)]);
  }

  async #inScene(pair: Pair, rules: Rules): Promise<readonly string[]> {
    this.#made += 1;
    const name = `${this.name}-${this.#made}`;
    const both = [rules.deeds[pair.first], rules.deeds[pair.second]] as DeedRule[];
    const isDefining = both.some(({ redefines }) => redefines);
    const group = isDefining ? `${name}.example.com` : 'pairs.example.com';
    await (isDefining ? this.#define(group) : this.#common);
    const scene = new Scene(this.#cluster, name, {
      group,
      alone: both.some(({ alone }) => alone),
      hasRevision: pair.first === 'rollback' || pair.second === 'rollback',
    });
    try {
      return await checkPair(scene, pair, rules);
    } finally {
      scene.end();
      if (isDefining) await removeCrd(this.#cluster, definitionOf(group).metadata.name);
    }
  }

  async #define(group: string): Promise<void> {
    const definition = definitionOf(group);
    await this.#cluster.create('somebody', definition);
    await poll(`${group} is served`, () => this.#cluster.serves(`${group}/v1`, 'Widget'));
  }
}
