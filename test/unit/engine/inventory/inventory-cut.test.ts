import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type InventoryEntry, readEntry, writeEntry } from '../../../../src/engine/inventory/inventory-entry.js';
import { readShardLines, type ShardData } from '../../../../src/engine/inventory/shard-data.js';
import { type ShardContent, type StoredShard, splitIntoShards } from '../../../../src/engine/inventory/split-into-shards.js';

const limit = 1_048_576; // of a ConfigMap
const entry = (name: string, more: Partial<InventoryEntry> = {}): InventoryEntry => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name,
  lifecycle: 'own',
  deletable: true,
  deletePropagation: 'Background',
  ...more,
});
const variables = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `.spec.template.spec.containers[name="app"].env[name="V${(index * 7919) % 10007}_ÄNDERBAR_AS_LONG_AS_NAMES_ARE"]`,
  );
const entriesOf = (count: number, more: Partial<InventoryEntry> = {}) =>
  new Map(Array.from({ length: count }, (_, index) => [`key-${index}`, entry(`web-${index}`, more)] as const));
/** The bytes that a server counts: of compressed entries those behind the base64. */
const bytesOf = ({ stored }: ShardContent) =>
  'data' in stored ? Buffer.byteLength(stored.data.entries) : Buffer.from(stored.binaryData.entries, 'base64').length;
const linesOf = ({ stored }: { readonly stored: ShardData }) => readShardLines(stored);
/** Entries that become only a quarter smaller by compression. */
const randomEntries = (count: number) =>
  new Map(
    Array.from({ length: count }, (_, index) => {
      return [`key-${index}`, entry(`web-${index}`, { uid: applied.uid, items: [randomBytes(2000).toString('base64')] })] as const;
    }),
  );
const storedAs = (shards: ReturnType<typeof splitIntoShards>): readonly StoredShard[] => shards.map(({ index, keys }) => ({ index, keys }));
const applied = { uid: '0d1c8a3e-6f7e-4a55-9a54-3a7c2c0b9c11', resourceVersion: '123456', items: variables(40) };

test('list items are read as they were written, and as earlier versions wrote them', () => {
  const known = entry('web', { items: ['.metadata.labels.a', ...variables(40), '.spec.x[=1]'] });
  expect(readEntry(writeEntry(known), 'here')).toEqual(known);
  expect(readEntry(JSON.stringify(known), 'here')).toEqual(known);
  expect(writeEntry(known).length * 3).toBeLessThan(JSON.stringify(known).length * 2);
});

test('1,000 entries that compression hardly shortens: written pending, then grown, no shard comes near the limit and none is lost', () => {
  const pending = splitIntoShards([], entriesOf(1000));
  const random = randomEntries(1000);
  const grown = splitIntoShards(storedAs(pending), random);
  expect(grown.length).toBeGreaterThan(pending.length);
  for (const shard of grown) expect(bytesOf(shard)).toBeLessThan(limit * 0.8);
  expect(grown.flatMap(({ keys }) => [...keys]).sort()).toEqual([...random.keys()].sort());
  expect(splitIntoShards(storedAs(grown), random)).toEqual(grown);
});

test('few entries are stored as text, and many compressed, with the same lines', () => {
  const few = splitIntoShards([], entriesOf(100));
  expect(few.map(({ stored }) => Object.keys(stored))).toEqual([['data']]);
  const many = entriesOf(3000, { uid: applied.uid, resourceVersion: '1' });
  const shards = splitIntoShards([], many);
  expect(new Set(shards.flatMap(({ stored }) => Object.keys(stored)))).toEqual(new Set(['binaryData']));
  expect(shards.flatMap(linesOf)).toEqual([...many.values()].map(writeEntry));
  expect(splitIntoShards(storedAs(shards), many)).toEqual(shards);
});

test('10,000 applied objects take less than a fifth of their text', () => {
  const uid = () =>
    randomBytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const entries = new Map(
    Array.from({ length: 10_000 }, (_, index) => {
      const more = { uid: uid(), intent: randomBytes(8).toString('hex'), resourceVersion: String(100_000 + index), items: [] };
      return [`key-${index}`, entry(`web-${index}`, more)] as const;
    }),
  );
  const shards = splitIntoShards([], entries);
  const text = [...entries.values()].reduce((sum, one) => sum + writeEntry(one).length, 0);
  expect(shards.reduce((sum, shard) => sum + bytesOf(shard), 0)).toBeLessThan(text / 5);
});

test.each([
  ['more than any shard has', gzipSync(Buffer.alloc(64 * 2 ** 20, '\n')).toString('base64')],
  ['no gzip', Buffer.from('{}').toString('base64')],
  ['cut off', gzipSync(randomBytes(1000)).subarray(0, 500).toString('base64')],
])('compressed entries that are %s cannot be read', (_, entries) => {
  expect(() => readShardLines({ binaryData: { entries } })).toThrow();
});

test('2,500 Deployments of 100 environment variables: written pending, then grown, no shard comes near the limit and none is lost', () => {
  const pending = splitIntoShards([], entriesOf(2500));
  const grown = splitIntoShards(storedAs(pending), entriesOf(2500, { ...applied, items: variables(100) }));
  expect(grown.length).toBeGreaterThan(pending.length);
  for (const shard of grown) expect(bytesOf(shard)).toBeLessThan(limit * 0.8);
  expect(grown.flatMap(({ keys }) => [...keys]).sort()).toEqual([...entriesOf(2500).keys()].sort());
});

test('entries move to later shards only, and entries that fit stay', () => {
  const pending = splitIntoShards([], entriesOf(4000));
  const grown = splitIntoShards(storedAs(pending), entriesOf(4000, applied));
  const homeIn = (shards: ReturnType<typeof splitIntoShards>, key: string) => shards.find(({ keys }) => keys.has(key))?.index as number;
  const moves = [...entriesOf(4000).keys()].map((key) => homeIn(grown, key) - homeIn(pending, key));
  expect(Math.min(...moves)).toBe(0);
  expect(Math.max(...moves)).toBeGreaterThan(0);
  const again = splitIntoShards(storedAs(grown), entriesOf(4000, applied));
  expect(again.map(({ index, keys }) => [index, [...keys].sort()])).toEqual(grown.map(({ index, keys }) => [index, [...keys].sort()]));
});

test('an earlier layout with 1,500 entries per shard is split', () => {
  const entries = entriesOf(1500, applied);
  const cut = splitIntoShards([{ index: 0, keys: new Set(entries.keys()) }], entries);
  for (const shard of cut) expect(bytesOf(shard)).toBeLessThan(limit * 0.8);
  expect(cut.flatMap(({ keys }) => [...keys])).toHaveLength(1500);
});

test('a gap in the numbers, from a shard that was removed by hand, loses no other entry', () => {
  const entries = entriesOf(3000, applied);
  const halves = [...entries.keys()];
  const stored = [
    { index: 0, keys: new Set(halves.slice(0, 300)) },
    { index: 2, keys: new Set(halves.slice(300, 600)) },
  ];
  const cut = splitIntoShards(stored, entries);
  expect(new Set(cut.map(({ index }) => index)).size).toBe(cut.length);
  expect(new Set(cut.flatMap(({ keys }) => [...keys])).size).toBe(3000);
});

test('an entry in two shards, as a killed move leaves it, stays in the later one', () => {
  const stored = [
    { index: 0, keys: new Set(['key-0', 'key-1']) },
    { index: 1, keys: new Set(['key-1']) },
  ];
  expect(splitIntoShards(stored, entriesOf(2)).map(({ keys }) => [...keys])).toEqual([['key-0'], ['key-1']]);
});

test('a shard that becomes empty is reported', () => {
  const stored = [
    { index: 0, keys: new Set(['key-0']) },
    { index: 1, keys: new Set(['key-1']) },
  ];
  expect(splitIntoShards(stored, entriesOf(1)).map(({ index, keys }) => [index, keys.size])).toEqual([
    [0, 1],
    [1, 0],
  ]);
});

test('an entry that alone is too large is written without its list items, the rest of it whole', () => {
  const huge = new Map([['huge', entry('huge', { ...applied, items: Array.from({ length: 200_000 }, (_, index) => `${index}.x`) })]]);
  const [shard] = splitIntoShards([], huge);
  expect(readEntry(linesOf(shard as ShardContent)[0] as string, 'here')).toEqual(
    entry('huge', { applied: true, uid: applied.uid, resourceVersion: applied.resourceVersion }),
  );
});
