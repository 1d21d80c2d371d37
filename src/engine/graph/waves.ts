import { identityKey, objectText } from '../../assembly/identity.js';
import type { Assembly, IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import { digestOfIntent } from '../inventory/intent-digest.js';
import { definedGroupKind, groupKindOf } from '../target/group-kind.js';
import { kindRank, kindRanks } from './kind-order.js';

/** One intent on its way to the cluster. */
export interface Step {
  readonly stack: StackManifest;
  /** Position in the stack. */
  readonly index: number;
  readonly intent: IntentManifest;
  readonly object: PartialObject;
  /** Of the intent; see `digestOfIntent`. */
  readonly digest: string;
  /** Identity of the object. */
  readonly key: string;
}

/** Steps that take over fields, with the field manager of the previous owner. */
export type TransfersByStep = ReadonlyMap<Step, { readonly previousOwner: string }>;

/** Returns the intents of the selected stacks of an assembly, stack by stack. */
export function intentStepsOf(assembly: Assembly, stacks: readonly StackManifest[]): Step[] {
  return stacks.flatMap((stack) => {
    const objects = assembly.objects[assembly.manifest.stacks.indexOf(stack)] ?? [];
    return stack.intents.map((intent, index) => {
      const object = objects[index] as PartialObject;
      return { stack, index, intent, object, digest: digestOfIntent(object), key: identityKey(intent) };
    });
  });
}

/**
 * Groups steps so that each wave needs only earlier ones: by declared dependencies of intents and stacks, by kind within a stack, a share
 * after the intent that owns its object, an object after its Namespace and after the CustomResourceDefinition of its kind. The new owner of
 * transferred fields comes before the previous owner, whoever owns the object: `transfers` names them.
 *
 * @throws FieldwiseError `dependency-cycle`.
 */
export function wavesOf(steps: readonly Step[], transfers: TransfersByStep = new Map()): Step[][] {
  const graph = new Graph(steps.length);
  const stacks = [...new Set(steps.map((step) => step.stack))];
  const end = new Map(stacks.map((stack) => [stack.name, graph.addBarrier()]));
  for (const stack of stacks) {
    const own = steps.flatMap((step, node) => (step.stack === stack ? [node] : []));
    const start = graph.addBarrier();
    graph.addEdge(start, end.get(stack.name) as number);
    for (const name of stack.dependsOn) if (end.has(name)) graph.addEdge(end.get(name) as number, start);
    const nodes = [...own, ...(stack.groups ?? []).map(() => graph.addBarrier())];
    for (const [group, members] of (stack.groups ?? []).entries()) {
      for (const member of members) graph.addEdge(nodes[member] as number, nodes[own.length + group] as number);
    }
    for (const node of own) {
      graph.addEdge(start, node);
      graph.addEdge(node, end.get(stack.name) as number);
      for (const before of steps[node]?.intent.dependsOn ?? []) graph.addEdge(nodes[before] as number, node);
    }
    orderByKind(graph, steps, own);
  }
  orderByRequirement(graph, steps, transfers);
  const waves: Step[][] = [];
  for (const [node, wave] of graph.waves((nodes) => cycleError(steps, nodes)).entries()) {
    const step = steps[node];
    if (!step) continue;
    const same = waves[wave];
    if (same) same.push(step);
    else waves[wave] = [step];
  }
  return waves.filter((wave) => wave !== undefined);
}

/**
 * Returns the wave of a step among all stacks of the program, whichever of them a run deploys; undefined where they wait for each other.
 */
export type ProgramWaves = (step: Pick<Step, 'stack' | 'index'>) => number | undefined;

/**
 * Returns the waves of the whole program.
 *
 * @param known the waves of the program, where they are already computed.
 */
export function programWaves(assembly: Assembly, known?: readonly (readonly Step[])[]): ProgramWaves {
  const waves = known ?? wavesUnlessCyclic(intentStepsOf(assembly, assembly.manifest.stacks));
  if (waves === undefined) return () => undefined;
  const numbers = new Map(assembly.manifest.stacks.map(({ name }) => [name, [] as number[]]));
  for (const [number, wave] of waves.entries()) for (const { stack, index } of wave) (numbers.get(stack.name) as number[])[index] = number;
  return ({ stack, index }) => numbers.get(stack.name)?.[index];
}

function wavesUnlessCyclic(steps: readonly Step[]): readonly (readonly Step[])[] | undefined {
  try {
    return wavesOf(steps);
  } catch (error) {
    if (error instanceof FieldwiseError && error.code === 'dependency-cycle') return undefined;
    throw error;
  }
}

function orderByKind(graph: Graph, steps: readonly Step[], own: readonly number[]): void {
  const byRank = new Map<number, number[]>();
  for (const node of own) {
    const { intent } = steps[node] as Step;
    const rank = (intent.phase ?? 0) * kindRanks + kindRank(intent);
    const same = byRank.get(rank);
    if (same) same.push(node);
    else byRank.set(rank, [node]);
  }
  const ranks = [...byRank.keys()].sort((left, right) => left - right);
  for (const [position, rank] of ranks.entries()) {
    const next = ranks[position + 1];
    if (next === undefined) continue;
    const barrier = graph.addBarrier();
    for (const node of byRank.get(rank) ?? []) graph.addEdge(node, barrier);
    for (const node of byRank.get(next) ?? []) graph.addEdge(barrier, node);
  }
}

function orderByRequirement(graph: Graph, steps: readonly Step[], transfers: TransfersByStep): void {
  const owners = new Map<string, number>();
  const namespaces = new Map<string, number>();
  const kinds = new Map<string, number>();
  for (const [node, { intent, object, key }] of steps.entries()) {
    if (intent.lifecycle === 'own') owners.set(key, node);
    if (intent.kind === 'Namespace' && intent.apiVersion === 'v1') namespaces.set(intent.name, node);
    const defined = definedGroupKind(object);
    if (defined !== undefined) kinds.set(defined, node);
  }
  for (const [node, { intent, key }] of steps.entries()) {
    const previousOwner = transfers.get(steps[node] as Step)?.previousOwner;
    if (previousOwner !== undefined) {
      for (const [other, { key: same, stack }] of steps.entries())
        if (same === key && stack.manager === previousOwner) graph.addEdge(node, other);
    }
    const needed = [
      intent.lifecycle === 'share' && previousOwner === undefined ? owners.get(key) : undefined,
      intent.namespace === undefined ? undefined : namespaces.get(intent.namespace),
      kinds.get(groupKindOf(intent)),
    ];
    for (const before of needed) if (before !== undefined && before !== node) graph.addEdge(before, node);
  }
}

function cycleError(steps: readonly Step[], nodes: readonly number[]): FieldwiseError {
  const names = nodes.flatMap((node) =>
    steps[node] ? [`${objectText((steps[node] as Step).intent)} (stack ${(steps[node] as Step).stack.name})`] : [],
  );
  return new FieldwiseError('dependency-cycle', 'usage', `These objects wait for each other: ${names.slice(0, 10).join(', ')}`, {
    next: 'Remove one of the dependencies, or own a shared object in a stack that the others depend on.',
  });
}

/** A directed graph whose nodes `0 … steps-1` are steps and the others barriers. */
class Graph {
  readonly #after: number[][];
  readonly #waiting: number[];

  constructor(steps: number) {
    this.#after = Array.from({ length: steps }, () => []);
    this.#waiting = Array.from({ length: steps }, () => 0);
  }

  addBarrier(): number {
    this.#waiting.push(0);
    return this.#after.push([]) - 1;
  }

  addEdge(before: number, after: number): void {
    this.#after[before]?.push(after);
    this.#waiting[after] = (this.#waiting[after] ?? 0) + 1;
  }

  /** Returns the length of the longest path to each node. */
  waves(onCycle: (nodes: readonly number[]) => Error): number[] {
    const wave = this.#waiting.map(() => 0);
    const waiting = [...this.#waiting];
    const ready = waiting.flatMap((count, node) => (count === 0 ? [node] : []));
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      for (const after of this.#after[node] ?? []) {
        wave[after] = Math.max(wave[after] ?? 0, (wave[node] ?? 0) + 1);
        waiting[after] = (waiting[after] ?? 0) - 1;
        if (waiting[after] === 0) ready.push(after);
      }
    }
    const cyclic = waiting.flatMap((count, node) => (count > 0 ? [node] : []));
    if (cyclic.length > 0) throw onCycle(cyclic);
    return wave;
  }
}
