import { afterEach, expect, test, vi } from 'vitest';
import { contentAt, contentOf, freshDirectory, keyOf, open, put, remove } from './directory.js';
import { ForgetfulDisk } from './failing-disk.js';

afterEach(() => vi.restoreAllMocks());

test('what is acknowledged survives a power failure at any moment, also while snapshots are written', async () => {
  const disk = new ForgetfulDisk();
  const directory = freshDirectory();
  const data = await open(directory, { fsync: true, compactionSize: 3000 });
  for (let index = 0; index < 120; index++) {
    const content =
      index % 5 === 4 ? await remove(data, `map-${index % 10}`) : await put(data, `map-${index % 10}`, `${index} ${'x'.repeat(150)}`);
    expect(await contentAt(disk.afterPowerFailure(directory))).toBe(content);
  }
  data.close();
});

test('changes that are made together wait for one fsync', async () => {
  const disk = new ForgetfulDisk();
  const directory = freshDirectory();
  const data = await open(directory, { fsync: true });
  const before = disk.count;
  await Promise.all(Array.from({ length: 50 }, (_, index) => put(data, `map-${index}`, String(index))));
  expect(disk.count - before).toBe(1);
  expect(await contentAt(disk.afterPowerFailure(directory))).toBe(contentOf(data.store));
  data.close();
});

test('without fsync, a change is written and not awaited; close() brings the rest to the file', async () => {
  const disk = new ForgetfulDisk();
  const directory = freshDirectory();
  const data = await open(directory, { fsync: false });
  const before = disk.count;
  const content = await put(data, 'a', 'one');
  expect(disk.count).toBe(before);
  const file = contentOf(data.store);
  expect(file).toBe(content);
  data.store.remove(keyOf('a'));
  data.close();
  expect(await contentAt(directory)).toBe('3: ');
});

test('close() stores what waits, before it returns', async () => {
  const disk = new ForgetfulDisk();
  const directory = freshDirectory();
  const data = await open(directory, { fsync: true });
  await put(data, 'a', 'one');
  const waiting = [put(data, 'b', 'two')];
  await new Promise(setImmediate);
  waiting.push(put(data, 'c', 'three'));
  data.close();
  expect(await contentAt(disk.afterPowerFailure(directory))).toBe('4: a=one b=two c=three');
  await Promise.all(waiting);
});
