import { deepStrictEqual } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { ResponseBody } from '../test/harness/api-client.js';
import { removeCrd, removeNamespace } from '../test/harness/cleanup.js';
import { type ObjectRef, ref, TestCluster } from '../test/harness/cluster.js';
import { fieldRows } from '../test/harness/field-rows.js';
import { fieldwise, type RunOptions, type RunResult } from '../test/harness/fieldwise.js';
import { InterceptionProxy, type ProxiedRequest } from '../test/harness/interception-proxy.js';
import { poll } from '../test/harness/poll.js';

/** What an example shows: its steps, run against a cluster and told as they happen. */
export interface Story {
  readonly title: string;
  /** The namespace that the example's programs work in. */
  readonly namespace: string;
  readonly steps: (stage: Stage) => Promise<void>;
}

export interface StageOptions {
  readonly kubeconfig: string;
  readonly directory: string;
  /** In place of the story's own namespace. */
  readonly namespace: string;
  /** Whether the cluster finishes deletions by itself. */
  readonly hasControllers: boolean;
  readonly write: (text: string) => void;
  /** Configuration beside that of the example, as environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs a command; a process of its own does, unless something else is named. */
  readonly command?: (args: readonly string[], options: RunOptions) => Promise<RunResult>;
}

/** What the steps of a story are made of: commands, looks at the cluster, and promises that are checked. */
export class Stage {
  readonly cluster: TestCluster;
  readonly #options: StageOptions;
  readonly #crds: string[] = [];
  #step = 0;

  constructor(options: StageOptions) {
    this.#options = options;
    this.cluster = new TestCluster(options.kubeconfig);
  }

  get namespace(): string {
    return this.#options.namespace;
  }

  get kubeconfig(): string {
    return this.#options.kubeconfig;
  }

  ref(apiVersion: string, kind: string, name: string): ObjectRef {
    return ref(apiVersion, kind, name, this.#options.namespace);
  }

  step(text: string): void {
    this.#step += 1;
    this.#options.write(`\n${this.#step}. ${text}\n`);
  }

  /** Runs a command in a directory of the example and shows what it prints. Fails unless it ends as expected. */
  async run(
    command: string,
    options: {
      readonly in?: string;
      readonly exitCode?: number;
      readonly quiet?: boolean;
      /** Happens before a request of the command reaches the server. */
      readonly before?: (request: ProxiedRequest) => Promise<void>;
    } = {},
  ): Promise<RunResult> {
    const { before } = options;
    if (before) return this.#throughProxy(before, (kubeconfig) => this.#run(command, options, kubeconfig));
    return this.#run(command, options, this.#options.kubeconfig);
  }

  async #throughProxy(
    before: (request: ProxiedRequest) => Promise<void>,
    run: (kubeconfig: string) => Promise<RunResult>,
  ): Promise<RunResult> {
    const directory = mkdtempSync(join(tmpdir(), 'fieldwise-stage-'));
    const proxy = await InterceptionProxy.start(this.cluster.client, join(directory, 'kubeconfig'));
    proxy.onRequest = async (request) => {
      await before(request);
      return undefined;
    };
    try {
      return await run(proxy.kubeconfig);
    } finally {
      await proxy.stop();
      rmSync(directory, { recursive: true });
    }
  }

  async #run(
    command: string,
    options: { readonly in?: string; readonly exitCode?: number; readonly quiet?: boolean },
    kubeconfig: string,
  ): Promise<RunResult> {
    const { in: below = '.', exitCode = 0, quiet = false } = options;
    const { directory, namespace, environment, write, command: run = fieldwise } = this.#options;
    const cwd = join(directory, below);
    const place = below === '.' ? basename(directory) : join(basename(directory), below);
    write(`\n   ${place} $ fieldwise ${command}\n`);
    const result = await run(command.split(' '), {
      cwd,
      kubeconfig,
      // The server of the examples runs no controllers that would bring anything to life.
      environment: { FIELDWISE_NAMESPACE: namespace, FIELDWISE_POLICY: '{"wait":false}', ...environment },
    });
    if (!quiet || result.exitCode !== exitCode) write(indent(result.output));
    if (result.exitCode !== exitCode) throw new Error(`fieldwise ${command} ended with ${result.exitCode} instead of ${exitCode}`);
    return result;
  }

  /** Something that Fieldwise did not do. */
  async someone(what: string, act: () => Promise<unknown>): Promise<void> {
    this.#options.write(`\n   (${what})\n`);
    await act();
  }

  /** Installs the CustomResourceDefinition of a file, as whoever runs the cluster has done before. */
  async installCrd(file: string): Promise<void> {
    const definition = parse(readFileSync(join(this.#options.directory, file), 'utf8'));
    await this.someone(`the cluster's administrator installs ${file}`, async () => {
      await this.cluster.apply('cluster-admin', definition, { force: true });
      this.#crds.push(definition.metadata.name);
      const established = async () =>
        (await this.cluster.get(definition)).status?.conditions?.some(
          (one: ResponseBody) => one.type === 'Established' && one.status === 'True',
        ) === true;
      await poll(`${file} is established`, established);
    });
  }

  /** Shows who owns each field of an object. Stacks are shown by name. */
  async owners(object: ObjectRef): Promise<void> {
    const rows = fieldRows(await this.cluster.get(object)).map(({ path, value, owners }) => {
      const item = keyedItem(path);
      return [item ?? path, item ? '' : (JSON.stringify(value) ?? ''), owners.map(shortOwner).join(', ')];
    });
    const table = [['field', 'value', 'owners'], ...rows];
    const widths = [0, 1].map((column) => Math.max(...table.map((row) => row[column]!.length)));
    const lines = table.map(([path, value, owners]) => `${path!.padEnd(widths[0]!)}  ${value!.padEnd(widths[1]!)}  ${owners}`);
    this.#options.write(`\n   ${object.kind} ${object.metadata.name}\n${indent(lines.join('\n'))}`);
  }

  /** A promise that the story makes; the example fails where it does not hold. */
  promise(text: string, actual: unknown, expected: unknown): void {
    deepStrictEqual(actual, expected, `Not kept: ${text}. Found ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
    this.#options.write(`   ✓ ${text}\n`);
  }

  /** A promise that somebody else keeps in a moment. */
  async promiseSoon(text: string, look: () => Promise<unknown>, expected: unknown): Promise<void> {
    let found: unknown;
    const kept = async () => {
      found = await look();
      return isDeepStrictEqual(found, expected);
    };
    await poll(text, kept).catch((error: unknown) => {
      if (found === undefined) throw error; // else the promise says what was found
    });
    this.promise(text, found, expected);
  }

  /** A line of a program that runs beside the story. */
  say(line: string): void {
    this.#options.write(indent(line));
  }

  async open(): Promise<void> {
    const { namespace } = this.#options;
    if (await this.cluster.find(ref('v1', 'Namespace', namespace))) {
      throw new Error(`namespace ${namespace} is there already: this example makes and removes it, so it takes none that exists`);
    }
    await this.cluster.create('cluster-admin', ref('v1', 'Namespace', namespace));
  }

  async close(): Promise<void> {
    const { namespace, hasControllers } = this.#options;
    for (const crd of this.#crds) await removeCrd(this.cluster, crd);
    await removeNamespace(this.cluster, namespace, hasControllers);
    this.cluster.client.close();
  }
}

/** Tells a story from beginning to end; leaves nothing behind, whatever happens. */
export async function tell(story: Story, options: Omit<StageOptions, 'namespace'> & { readonly namespace?: string }): Promise<void> {
  const stage = new Stage({ ...options, namespace: options.namespace ?? story.namespace });
  options.write(`${story.title}\n`);
  await stage.open();
  try {
    await story.steps(stage);
  } finally {
    await stage.close();
  }
}

/** `fieldwise/shop/default/gateway` → `gateway`; other managers as they are. */
function shortOwner(owner: string): string {
  return owner.startsWith('fieldwise/') ? `stack ${decodeURIComponent(owner.split('/').slice(3).join('/'))}` : owner;
}

/** A list map key stands for its item: `.ports[port=80].port` → `.ports[port=80]`. */
function keyedItem(path: string): string | undefined {
  const [, item, keys, field] = /^(.*\[([^\]]*)\])\.(\w+)$/.exec(path) ?? [];
  return keys?.split(',').some((key) => key.startsWith(`${field}=`)) ? item : undefined;
}

function indent(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === '' ? '' : `${trimmed.replace(/^(?=.)/gm, '     ')}\n`;
}
