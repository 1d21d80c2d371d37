import { managersOf, objectText } from '../../assembly/identity.js';
import type { Assembly, IntentManifest, StackManifest } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import { groupKindDefinedBy, groupKindOf } from '../addresses/group-kind.js';
import { DeclaredStep, type Step } from './declared-step.js';
import { kindRank, kindRanks } from './kind-order.js';

export type { Step } from './declared-step.js';

/** Steps that take over fields, with the field manager of the previous owner. */
export type TransfersByStep = ReadonlyMap<Step, { readonly previousOwner: string }>;

/** Returns the intents of the selected stacks of an assembly, stack by stack. */
export function intentStepsOf(assembly: Assembly, stacks: readonly StackManifest[]): Step[] {
  return stacks.flatMap((stack) => {
    const objects = assembly.objects[assembly.manifest.stacks.indexOf(stack)] ?? [];
    return stack.intents.map((_, index) => new DeclaredStep(stack, index, objects));
  });
}

/**
 * Groups steps so that each wave needs only earlier ones: by declared dependencies of intents and stacks, by kind within a stack, a share
 * after the intent that owns its object, an object after its Namespace and after the CustomResourceDefinition of its kind. The new owner of
 * transferred fields comes before the previous owner, whoever owns the object: `transfers` names them. A declared dependency goes before
 * the order of kinds.
 *
 * @param rankOf returns the rank of an intent: within a stack, those of a lower rank come first.
 * @throws FieldwiseError `dependency-cycle`.
 */
export function wavesOf(steps: readonly Step[], transfers: TransfersByStep = new Map(), rankOf = rankByKind): Step[][] {
  const graph = new Graph(steps.length);
  const stacks = [...new Set(steps.map((step) => step.stack))].map((stack) => ({
    stack,
    own: steps.flatMap((step, node) => (step.stack === stack ? [node] : [])),
  }));
  for (const { stack, own } of stacks) orderAsDeclared(graph, steps, stack, own);
  const requirements = requirementsOf(steps);
  const isWithinStack = ([before, after]: Edge) => steps[before]?.stack === steps[after]?.stack;
  for (const [before, after] of requirements.filter(isWithinStack)) graph.addEdge(before, after);
  const ranks = graph.highest(steps.map(({ intent }) => rankOf(intent)));
  const end = new Map(stacks.map(({ stack }) => [stack.name, graph.addBarrier()]));
  for (const { stack, own } of stacks) {
    const start = graph.addBarrier();
    graph.addEdge(start, end.get(stack.name) as number);
    for (const name of stack.dependsOn) if (end.has(name)) graph.addEdge(end.get(name) as number, start);
    for (const node of own) {
      graph.addEdge(start, node);
      graph.addEdge(node, end.get(stack.name) as number);
    }
    orderByRank(graph, ranks, own);
  }
  const acrossStacks = requirements.filter((edge) => !isWithinStack(edge));
  for (const [before, after] of [...acrossStacks, ...sharesAndTransfers(steps, transfers)]) graph.addEdge(before, after);
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

function rankByKind(intent: IntentManifest): number {
  return (intent.phase ?? 0) * kindRanks + kindRank(intent);
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

/** Returns the waves of steps, as `wavesOf` does; undefined where they wait for each other. */
export function wavesUnlessCyclic(steps: readonly Step[], transfers?: TransfersByStep): readonly (readonly Step[])[] | undefined {
  try {
    return wavesOf(steps, transfers);
  } catch (error) {
    if (error instanceof FieldwiseError && error.code === 'dependency-cycle') return undefined;
    throw error;
  }
}

/** Orders the steps of a stack by its declared dependencies. A group is a barrier after its members. */
function orderAsDeclared(graph: Graph, steps: readonly Step[], stack: StackManifest, own: readonly number[]): void {
  const groups = stack.groups ?? [];
  const nodes = [...own, ...groups.map(() => graph.addBarrier())];
  for (const [group, members] of groups.entries()) {
    for (const member of members) graph.addEdge(nodes[member] as number, nodes[own.length + group] as number);
  }
  for (const node of own) for (const before of steps[node]?.intent.dependsOn ?? []) graph.addEdge(nodes[before] as number, node);
}

/**
 * Orders the steps of a stack by their ranks: those of their kinds, but none before that of a step that they need, since a declared
 * dependency goes before the order of kinds (docs/decisions/24).
 */
function orderByRank(graph: Graph, ranks: readonly number[], own: readonly number[]): void {
  const byRank = new Map<number, number[]>();
  for (const node of own) {
    const rank = ranks[node] as number;
    const same = byRank.get(rank);
    if (same) same.push(node);
    else byRank.set(rank, [node]);
  }
  const sorted = [...byRank.keys()].sort((left, right) => left - right);
  for (const [position, rank] of sorted.entries()) {
    const next = sorted[position + 1];
    if (next === undefined) continue;
    const barrier = graph.addBarrier();
    for (const node of byRank.get(rank) ?? []) graph.addEdge(node, barrier);
    for (const node of byRank.get(next) ?? []) graph.addEdge(barrier, node);
  }
}

type Edge = readonly [before: number, after: number];

/** Returns the edges, as positions of steps, from a Namespace to what lies in it, and from a CustomResourceDefinition to the objects of its kind. */
export function requirementsOf(steps: readonly Step[]): Edge[] {
  const namespaces = new Map<string, number>();
  const kinds = new Map<string, number>();
  for (const [node, step] of steps.entries()) {
    const { intent } = step;
    if (intent.kind === 'Namespace' && intent.apiVersion === 'v1') namespaces.set(intent.name, node);
    const defined = groupKindDefinedBy(step);
    if (defined !== undefined) kinds.set(defined, node);
  }
  return steps.flatMap(({ intent }, node) => {
    const needed = [intent.namespace === undefined ? undefined : namespaces.get(intent.namespace), kinds.get(groupKindOf(intent))];
    return needed.flatMap((before) => (before === undefined || before === node ? [] : [[before, node] as const]));
  });
}

/** Returns the edges from the owner of an object to those that share it, and from a new owner of fields to the previous one. */
function sharesAndTransfers(steps: readonly Step[], transfers: TransfersByStep): Edge[] {
  const owners = new Map(steps.flatMap(({ intent, key }, node) => (intent.lifecycle === 'own' ? [[key, node] as const] : [])));
  return steps.flatMap((step, node): Edge[] => {
    const previousOwner = transfers.get(step)?.previousOwner;
    if (previousOwner !== undefined) {
      return steps.flatMap(({ key, stack }, other) =>
        key === step.key && managersOf(stack).includes(previousOwner) ? [[node, other] as const] : [],
      );
    }
    const owner = step.intent.lifecycle === 'share' ? owners.get(step.key) : undefined;
    return owner === undefined ? [] : [[owner, node]];
  });
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
    const cyclic = this.#inOrder((before, after) => {
      wave[after] = Math.max(wave[after] ?? 0, (wave[before] ?? 0) + 1);
    });
    if (cyclic.length > 0) throw onCycle(cyclic);
    return wave;
  }

  /** Returns for each node the highest value of the node and of those before it. Nodes of cycles may keep their own. */
  highest(values: readonly number[]): number[] {
    const highest = this.#waiting.map((_, node) => values[node] ?? 0);
    this.#inOrder((before, after) => {
      highest[after] = Math.max(highest[after] ?? 0, highest[before] ?? 0);
    });
    return highest;
  }

  /** Visits the edges, each after all edges to its first node. Returns the nodes of cycles, and those behind them. */
  #inOrder(visit: (before: number, after: number) => void): number[] {
    const waiting = [...this.#waiting];
    const ready = waiting.flatMap((count, node) => (count === 0 ? [node] : []));
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      for (const after of this.#after[node] ?? []) {
        visit(node, after);
        waiting[after] = (waiting[after] ?? 0) - 1;
        if (waiting[after] === 0) ready.push(after);
      }
    }
    return waiting.flatMap((count, node) => (count > 0 ? [node] : []));
  }
}
