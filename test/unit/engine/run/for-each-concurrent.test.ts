import { expect, test } from 'vitest';
import { forEachConcurrentFair } from '../../../../src/engine/run/for-each-concurrent.js';

/** Starts items whose kind is their first letter; each ends when `end` is called with it. */
function start(items: readonly string[], concurrency: number) {
  const ends = new Map<string, (error?: Error) => void>();
  const begun: string[] = [];
  const done = forEachConcurrentFair(
    items,
    (item) => item[0] as string,
    concurrency,
    (item) => {
      begun.push(item);
      return new Promise((resolve, reject) => ends.set(item, (error) => (error ? reject(error) : resolve())));
    },
  );
  const end = async (item: string, error?: Error) => {
    ends.get(item)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, done, end };
}

test('a slow kind leaves slots to others, whatever the order of the items', async () => {
  const { begun, end, done } = start(['s1', 's2', 's3', 's4', 'q1', 'q2', 'q3'], 4);
  expect(begun).toEqual(['s1', 'q1', 's2', 'q2']);
  await end('q1');
  await end('q2');
  expect(begun.slice(4)).toEqual(['q3', 's3']); // One of each is in progress again, then two of s.
  await end('q3');
  expect(begun.slice(6)).toEqual(['s4']); // No others wait, so the slow kind takes their slots.
  for (const item of ['s1', 's2', 's3', 's4']) await end(item);
  await done;
});

test('never exceeds the limit; runs each item once, in order within a kind', async () => {
  let [now, most] = [0, 0];
  const items = Array.from({ length: 60 }, (_, index) => `${'abc'[(index * index) % 3]}${index}`);
  const begun: string[] = [];
  await forEachConcurrentFair(
    items,
    (item) => item[0] as string,
    5,
    async (item) => {
      begun.push(item);
      most = Math.max(most, ++now);
      for (let turn = 0; turn <= item.charCodeAt(item.length - 1) % 4; turn++) await Promise.resolve();
      now -= 1;
    },
  );
  expect(most).toBe(5);
  for (const kind of ['a', 'b', 'c']) {
    expect(begun.filter((item) => item.startsWith(kind))).toEqual(items.filter((item) => item.startsWith(kind)));
  }
});

test('rejects with the error of an item; resolves at once without items', async () => {
  const { end, done } = start(['a1', 'b1'], 2);
  const rejected = expect(done).rejects.toThrow('broken');
  await end('a1', new Error('broken'));
  await rejected;
  await forEachConcurrentFair<string>([], String, 3, async () => {
    throw new Error('never');
  });
});
