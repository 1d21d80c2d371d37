import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { contentAt, contentOf, copyWith, fileIn, freshDirectory, keyOf, open, put } from './directory.js';

const snapshots = (directory: string) => fs.readdirSync(directory).filter((name) => /^snapshot-\d+$/.test(name));

/** Many changes of a few objects, so that the log is replaced again and again. */
async function busyDirectory() {
  const directory = freshDirectory();
  const data = await open(directory, { compactionSize: 4096 });
  for (let index = 0; index < 300; index++) {
    await put(data, `map-${index % 40}`, `${index} ${'x'.repeat(200)}`);
    if (index % 9 === 8) {
      data.store.remove(keyOf(`map-${(index * 7) % 40}`));
      await data.store.committed();
    }
  }
  return { directory, data };
}

test('the log is replaced by snapshots while changes go on; nothing is lost, and the old files go', async () => {
  const { directory, data } = await busyDirectory();
  await expect.poll(() => snapshots(directory).length).toBe(1);
  const content = contentOf(data.store);
  data.close();
  const names = fs.readdirSync(directory).sort();
  expect(names.length).toBeLessThanOrEqual(4);
  expect(names.reduce((sum, name) => sum + fs.statSync(path.join(directory, name)).size, 0)).toBeLessThan(40_000);
  for (const name of names) expect([name, fs.statSync(path.join(directory, name)).mode & 0o777]).toEqual([name, 0o600]);
  expect(await contentAt(directory)).toBe(content);
});

test('a copy of the files at any moment has what was stored then', async () => {
  const directory = freshDirectory();
  const data = await open(directory, { compactionSize: 2048 });
  for (let index = 0; index < 120; index++) {
    const content = await put(data, `map-${index % 10}`, `${index} ${'x'.repeat(200)}`);
    const copy = copyWith(directory, 'note', Buffer.from(''));
    fs.rmSync(path.join(copy, 'lock'));
    expect(await contentAt(copy)).toBe(content);
    fs.rmSync(copy, { recursive: true });
  }
  data.close();
});

test('changes are stored while a snapshot is written, in slices', async () => {
  const directory = freshDirectory();
  const data = await open(directory, { compactionSize: 3_000_000 });
  for (let index = 0; index < 4000; index++)
    data.store.put(keyOf(`map-${index}`), { metadata: { name: `map-${index}`, namespace: 'default' }, data: { value: 'x'.repeat(1000) } });
  await data.store.committed();
  let during = 0;
  for (let index = 0; snapshots(directory).length === 0; index++) {
    await put(data, 'other', String(index));
    if (fs.readdirSync(directory).some((name) => name.endsWith('.tmp'))) during += 1;
  }
  expect(during).toBeGreaterThan(3);
  const content = contentOf(data.store);
  data.close();
  expect(await contentAt(directory)).toBe(content);
});

test('a damaged snapshot is reported, unless the files before it are still there', async () => {
  const { directory, data } = await busyDirectory();
  await expect.poll(() => snapshots(directory).length).toBe(1);
  const content = contentOf(data.store);
  data.close();
  const name = fileIn(directory, 'snapshot-');
  const bytes = fs.readFileSync(path.join(directory, name));
  for (const change of [
    bytes.subarray(0, bytes.length - 5),
    bytes.subarray(0, 100),
    Buffer.alloc(0),
    Buffer.concat([bytes.subarray(0, 3000), Buffer.from('?'), bytes.subarray(3001)]),
  ]) {
    const copy = copyWith(directory, name, change);
    await expect(contentAt(copy)).rejects.toMatchObject({ code: 'cluster-data-damaged', location: { file: path.join(copy, name) } });
  }
  expect(await contentAt(directory)).toBe(content);

  const other = freshDirectory();
  const first = await open(other);
  const state = await put(first, 'a', 'one');
  first.close();
  fs.writeFileSync(path.join(other, 'snapshot-0000000000000002'), 'damaged');
  expect(await contentAt(other)).toBe(state);
});
