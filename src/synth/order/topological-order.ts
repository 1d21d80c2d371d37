/** The nodes of a graph, each after its dependencies; or the members of a cycle, with the first one again at the end. */
export type TopologicalOrder = { readonly order: readonly number[] } | { readonly cycle: readonly number[] };

/**
 * Sorts the nodes `0 … before.length - 1`; independent nodes keep their order. Walks without recursion, so that chains may have any length.
 *
 * @param before per node, the nodes on which it depends.
 */
export function topologicalOrder(before: readonly Iterable<number>[]): TopologicalOrder {
  const order: number[] = [];
  const state = new Uint8Array(before.length);
  for (const start of before.keys()) {
    const stack = state[start] === unseen ? [enter(start, before, state)] : [];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const next = top.rest[top.nextIndex++];
      if (next === undefined) {
        state[top.node] = done;
        order.push(top.node);
        stack.pop();
      } else if (state[next] === open) {
        const nodes = stack.map(({ node }) => node);
        return { cycle: [...nodes.slice(nodes.indexOf(next)), next] };
      } else if (state[next] === unseen) {
        stack.push(enter(next, before, state));
      }
    }
  }
  return { order };
}

const unseen = 0;
const open = 1;
const done = 2;

function enter(node: number, before: readonly Iterable<number>[], state: Uint8Array) {
  state[node] = open;
  const rest = [...(before[node] ?? [])];
  return { node, nextIndex: 0, rest: rest.length > 1 ? rest.sort((left, right) => left - right) : rest };
}
