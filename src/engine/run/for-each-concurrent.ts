/** Runs a task over items, a bounded number at a time, in order of the items. Rejects with the first rejection. */
export async function forEachConcurrent<T>(items: readonly T[], concurrency: number, task: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await task(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
}

/**
 * Does the same for items of several kinds, where one kind may take the server much longer than another: the next item is of the kind with
 * the fewest in progress, so that no kind blocks all workers while others wait. Within a kind, items are taken in order.
 */
export async function forEachConcurrentFair<T>(
  items: readonly T[],
  kindOf: (item: T) => string,
  concurrency: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const kinds = new Map<string, { readonly waiting: T[]; underWay: number }>();
  for (const item of items) {
    const kind = kinds.get(kindOf(item));
    if (kind) kind.waiting.push(item);
    else kinds.set(kindOf(item), { waiting: [item], underWay: 0 });
  }
  for (const { waiting } of kinds.values()) waiting.reverse(); // `pop` takes from the end
  await forEachConcurrent(items, concurrency, async () => {
    const open = [...kinds.values()].filter(({ waiting }) => waiting.length > 0);
    const kind = open.reduce((best, other) => (other.underWay < best.underWay ? other : best));
    kind.underWay += 1;
    try {
      await task(kind.waiting.pop() as T);
    } finally {
      kind.underWay -= 1;
    }
  });
}
