import { constructPathOf } from '../../app/app-root.js';
import { objectText } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { ConstructTree } from '../declared/construct-tree.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import type { MergedStack } from '../merge/merged-intent.js';
import type { CompactOrder } from './compact-order.js';
import { type ConstructDependencies, type ConstructDependency, constructDependencies } from './construct-dependencies.js';
import { dependenciesByStack, intentDependencies, intentLinks, type StackConstructs } from './intent-dependencies.js';
import { stackLinks } from './stack-dependencies.js';
import { topologicalOrder } from './topological-order.js';

/** The dependencies of stacks, and of the intents of each stack. */
export interface Dependencies {
  /** Per stack, the stacks on which it depends. */
  readonly stacks: readonly ReadonlySet<number>[];
  /** The stacks, each after its dependencies, otherwise in program order. */
  readonly order: readonly number[];
  readonly intents: readonly IntentOrder[];
}

/** The order of the intents of a stack. */
export interface IntentOrder extends CompactOrder {
  /** The intents, each after its dependencies, otherwise in program order. */
  readonly order: readonly number[];
}

/**
 * Computes the dependencies of stacks and intents from those of constructs (`node.addDependency`): everything at and below a construct comes
 * after everything at and below its dependency. A dependency between stacks orders the stacks, one within a stack orders its intents.
 *
 * If a construct depends on constructs inside it, only the rest of it comes after them; likewise in the other direction.
 *
 * @param collector receives `dependency-cycle`; the result is undefined then.
 */
export function dependenciesOf(
  tree: ConstructTree,
  stacks: readonly MergedStack[],
  collector: DiagnosticCollector,
): Dependencies | undefined {
  const dependencies = constructDependencies(tree);
  const before = stacks.map(() => new Set<number>());
  for (const { dependent, dependency } of stackLinks(tree, dependencies)) before[dependent]?.add(dependency);
  const order = collector.attempt(() => stackOrder(before, { tree, stacks, dependencies }));
  const byStack = dependenciesByStack(tree, dependencies);
  const members = byStack.size > 0 ? membersOf(tree) : [];
  const intents = stacks.map((stack, index): IntentOrder | undefined => {
    const own = byStack.get(index);
    if (!own) return { intents: stack.intents.map(() => none), groups: [], order: [...stack.intents.keys()] };
    return collector.attempt(() => intentOrder(tree, stack, constructsOf(tree, stack, index, members[index] ?? []), own));
  });
  const known = intents.filter((one) => one !== undefined);
  return order && known.length === intents.length ? { stacks: before, order, intents: known } : undefined;
}

const none: ReadonlySet<number> = new Set();

/** Returns the positions of the constructs of each stack. */
function membersOf({ chartIndexes, charts }: ConstructTree): readonly (readonly number[])[] {
  const members: number[][] = charts.map(() => []);
  for (const [position, chartIndex] of chartIndexes.entries()) members[chartIndex]?.push(position);
  return members;
}

function constructsOf(
  { positions, charts }: ConstructTree,
  stack: MergedStack,
  index: number,
  members: readonly number[],
): StackConstructs {
  const intentOf = new Map<number, number>();
  for (const [intent, { declared }] of stack.intents.entries()) {
    for (const { construct } of declared) intentOf.set(positions.get(construct) as number, intent);
  }
  return { chart: charts[index] as number, members, intents: stack.intents.length, intentOf };
}

interface StackGraph {
  readonly tree: ConstructTree;
  readonly stacks: readonly MergedStack[];
  readonly dependencies: ConstructDependencies;
}

function stackOrder(before: readonly ReadonlySet<number>[], { tree, stacks, dependencies }: StackGraph): readonly number[] {
  const result = topologicalOrder(before);
  if ('order' in result) return result.order;
  const names = result.cycle.map((index) => stacks[index]?.name ?? '');
  throw cycleError('Stacks', names, reasonsOf(result.cycle, stackLinks(tree, dependencies)), tree, {});
}

function intentOrder(
  tree: ConstructTree,
  stack: MergedStack,
  constructs: StackConstructs,
  dependencies: readonly ConstructDependency[],
): IntentOrder {
  const compact = intentDependencies(tree, constructs, dependencies) ?? pairwise(tree, stack, constructs, dependencies);
  const result = topologicalOrder([...compact.intents, ...compact.groups]);
  if ('order' in result) return { ...compact, order: result.order.filter((node) => node < stack.intents.length) };
  const names = result.cycle.map((index) => {
    const intent = stack.intents[index];
    return intent ? objectText(intent.identity) : '';
  });
  const reasons = reasonsOf(result.cycle, intentLinks(tree, constructs, dependencies));
  throw cycleError(
    `Objects of stack ${stack.name}`,
    names,
    reasons,
    tree,
    stack.intents[result.cycle[0] ?? 0]?.declared[0]?.location ?? {},
  );
}

function pairwise(
  tree: ConstructTree,
  stack: MergedStack,
  constructs: StackConstructs,
  dependencies: readonly ConstructDependency[],
): CompactOrder {
  const intents = stack.intents.map(() => new Set<number>());
  for (const { dependent, dependency } of intentLinks(tree, constructs, dependencies)) intents[dependent]?.add(dependency);
  return { intents, groups: [] };
}

/** Returns the dependency behind each step of a cycle. */
function reasonsOf(
  cycle: readonly number[],
  links: Iterable<{ readonly dependent: number; readonly dependency: number; readonly because: ConstructDependency }>,
): readonly ConstructDependency[] {
  const next = new Map(cycle.slice(0, -1).map((node, index) => [node, cycle[index + 1]]));
  const reasons = new Map<number, ConstructDependency>();
  for (const { dependent, dependency, because } of links) {
    if (next.get(dependent) === dependency && !reasons.has(dependent)) reasons.set(dependent, because);
  }
  return cycle.slice(0, -1).flatMap((node) => reasons.get(node) ?? []);
}

/** The number of steps of a cycle that an error names; it counts the others. */
const maxListed = 20;

function cycleError(
  what: string,
  names: readonly string[],
  reasons: readonly ConstructDependency[],
  tree: ConstructTree,
  location: object,
): FieldwiseError {
  const pathOf = (position: number) => constructPathOf(tree.constructs[position] as (typeof tree.constructs)[number]);
  const steps = reasons.map(({ dependent, dependency }) => `${pathOf(dependent)} on ${pathOf(dependency)}`);
  const shown =
    names.length <= maxListed ? names : [...names.slice(0, maxListed - 1), `… (${names.length - maxListed} more)`, names.at(-1)];
  const rest = steps.length > maxListed ? [`and ${steps.length - maxListed} more`] : [];
  return new FieldwiseError(
    'dependency-cycle',
    'usage',
    `${what} depend on each other in a cycle: ${shown.join(' → ')} (${[...steps.slice(0, maxListed), ...rest].join(', ')})`,
    { location, next: 'Remove one of these dependencies. All constructs that declare the same object count as one.' },
  );
}
