import { spawn } from 'node:child_process';
import { Random } from '../corpus/random.js';
import type { ResponseBody } from '../harness/api-client.js';
import { ref, type TestCluster } from '../harness/cluster.js';
import { commandLine, environmentOf } from '../harness/fieldwise.js';

type Version = 'old' | 'new';

/** The deploys of one stack from its first to its last, by both versions. */
export class Life {
  readonly #random: Random;
  readonly #said: string[] = [];
  readonly #cluster: TestCluster;

  /**
   * @param old the command line of the earlier commit.
   * @param directory where commands run.
   */
  constructor(
    readonly name: string,
    seed: number,
    cluster: TestCluster,
    readonly old: string,
    readonly directory: string,
  ) {
    this.#random = new Random(seed);
    this.#cluster = cluster;
  }

  async run(): Promise<readonly string[]> {
    await this.#cluster.create('somebody', ref('v1', 'Namespace', this.name));
    const problems: string[] = [];
    await this.#must(this.#anyVersion(), this.#programOf(0), 'deploy', '--yes');
    await this.#cluster.apply('them', { ...this.#object('a'), data: { theirs: 'x' } });
    for (let step = 1; step <= 6 && problems.length === 0; step++) {
      const values = this.#random.chance(0.3) ? await this.#atOnce(step) : [await this.#inTurn(step)];
      problems.push(...(await this.#check(values)));
    }
    if (problems.length === 0) problems.push(...(await this.#end()));
    return problems.length === 0 ? [] : [...problems, ...this.#said];
  }

  /** One version deploys or goes back. @returns the value that the objects have then. */
  async #inTurn(step: number): Promise<number> {
    const version = this.#anyVersion();
    const output = this.#programOf(step);
    await this.#must(version, output, 'deploy', '--yes');
    if (this.#random.chance(0.3)) await this.#must(version === 'old' ? 'new' : 'old', output, 'deploy', '--yes');
    return step;
  }

  /** Both deploy another value at once. @returns the values of which one must be there, in both objects. */
  async #atOnce(step: number): Promise<readonly number[]> {
    const both = [step * 100, step * 100 + 1] as const;
    const results = await Promise.all([
      this.#fieldwise('old', this.#programOf(both[0]), 'deploy', '--yes', '--wait-lock'),
      this.#fieldwise('new', this.#programOf(both[1]), 'deploy', '--yes', '--wait-lock'),
    ]);
    for (const [index, { exitCode, text }] of results.entries())
      if (exitCode !== 0) this.#said.push(`run ${index} ended with ${exitCode}: ${text}`);
    return both;
  }

  async #check(expected: readonly number[]): Promise<string[]> {
    const [a, b] = await Promise.all(
      ['a', 'b'].map((name) => this.#cluster.get(this.#object(name)).then(({ data }: ResponseBody) => data)),
    );
    const problems: string[] = [];
    if (a.theirs !== 'x') problems.push(`the field of another is lost: ${JSON.stringify(a)}`);
    if (!expected.map(String).includes(a.ours)) problems.push(`the object has ${a.ours}, and ${expected.join(' or ')} was deployed`);
    if (a.ours !== b.ours) problems.push(`two programs are mixed: ${a.ours} and ${b.ours}`);
    if (this.#said.some((text) => text.startsWith('run '))) problems.push('a run at once failed');
    const drift = await this.#fieldwise('new', this.#programOf(Number(a.ours)), 'drift', '--exit-code');
    if (drift.exitCode !== 0) problems.push(`drift ended with ${drift.exitCode}: ${drift.text}`);
    return problems;
  }

  async #end(): Promise<string[]> {
    await this.#must(this.#anyVersion(), this.#programOf(0), 'destroy', '--yes');
    const [a, b, inventories] = await Promise.all([
      this.#cluster.find(this.#object('a')),
      this.#cluster.find(this.#object('b')),
      this.#cluster.list('v1', 'ConfigMap', this.name),
    ]);
    const left = inventories.filter(({ metadata }) => metadata.labels?.['fieldwise.dev/inventory']).map(({ metadata }) => metadata.name);
    return [
      ...(b ? ['the object of the stack is left'] : []),
      ...(a?.data?.ours ? ['a field of the stack is left'] : []),
      ...(a?.data?.theirs === 'x' ? [] : ['the object that another shares is lost']),
      ...(left.length > 0 ? [`inventories are left: ${left.join()}`] : []),
    ];
  }

  #object(name: string) {
    return ref('v1', 'ConfigMap', name, this.name);
  }

  #anyVersion(): Version {
    return this.#random.chance(0.5) ? 'old' : 'new';
  }

  /** The documents of a program with a value: both versions read them. */
  #programOf(value: number): string {
    const documents = ['a', 'b'].map((name) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { ours: String(value) },
    }));
    return documents.map((document) => JSON.stringify(document)).join('\n---\n');
  }

  async #must(version: Version, documents: string, ...args: readonly string[]): Promise<void> {
    const { exitCode, text } = await this.#fieldwise(version, documents, ...args);
    this.#said.push(`${version} ${args.join(' ')}: ${text.slice(0, 300)}`);
    if (exitCode !== 0) throw new Error(`${version} ${args.join(' ')} ended with ${exitCode}: ${text}`);
  }

  #fieldwise(
    version: Version,
    documents: string,
    ...args: readonly string[]
  ): Promise<{ readonly exitCode: number; readonly text: string }> {
    const main = version === 'new' ? commandLine : this.old;
    const environment = {
      FIELDWISE_NAMESPACE: this.name,
      FIELDWISE_INVENTORY_NAMESPACE: this.name,
      ...(version === 'new' ? { FIELDWISE_ID: 'versions-1' } : {}),
    };
    const words = [main, ...args, '-f', '-', '--stack', 'web', '--name', this.name];
    const child = spawn(process.execPath, words, {
      cwd: this.directory,
      env: environmentOf({ cwd: this.directory, kubeconfig: this.#cluster.kubeconfig, environment }),
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
    child.stdin.end(documents);
    return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve({ exitCode: code ?? -1, text })));
  }
}
