/** Indices in an order in which each stands after those it depends on, or a cycle: its members, the first one again at the end. */
export type TopologicalOrder = { readonly order: readonly number[] } | { readonly cycle: readonly number[] };

/**
 * Sorts `0 … dependencies.length - 1`; what does not depend on each other keeps its order. A walk without recursion, so that chains of
 * any length fit.
 */
export function topologicalOrder(dependencies: readonly ReadonlySet<number>[]): TopologicalOrder {
  const order: number[] = [];
  const state = new Array<'open' | 'done' | undefined>(dependencies.length);
  for (const start of dependencies.keys()) {
    const walk = state[start] ? [] : [enter(start, dependencies, state)];
    for (let top = walk.at(-1); top; top = walk.at(-1)) {
      const next = top.rest.next();
      if (next.done) {
        state[top.index] = 'done';
        order.push(top.index);
        walk.pop();
      } else if (state[next.value] === 'open') {
        const indices = walk.map(({ index }) => index);
        return { cycle: [...indices.slice(indices.indexOf(next.value)), next.value] };
      } else if (!state[next.value]) {
        walk.push(enter(next.value, dependencies, state));
      }
    }
  }
  return { order };
}

function enter(index: number, dependencies: readonly ReadonlySet<number>[], state: ('open' | 'done' | undefined)[]) {
  state[index] = 'open';
  const sorted = [...(dependencies[index] ?? [])].sort((left, right) => left - right);
  return { index, rest: sorted.values() };
}
