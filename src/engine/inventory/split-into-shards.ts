import { type InventoryEntry, withoutItems, writeEntry } from './inventory-entry.js';
import { type ShardData, writeShardData } from './shard-data.js';

/** New entries fill a shard up to this size as it is stored, so that they may grow: a ConfigMap is limited to 1 MiB. */
export const targetShardBytes = 512 * 1024;

/** A larger shard moves entries to later ones. */
const maxShardBytes = 768 * 1024;

/** The text of a stack up to this size is stored as it is, and longer text compressed. */
const maxPlainBytes = 64 * 1024;

/**
 * The part of their text that compressed shards may take, tried one after the other. Entries of applied objects take a seventh; only random
 * names do not fit the first.
 */
const compressedShares = [1 / 4, 1 / 2, 1];

/** A longer entry is written without the parts that only save a read. */
const maxLineBytes = 64 * 1024;

/** The bytes that an entry gains when its uid is known, list items aside. */
const pendingGrowth = 400;

/** A stored shard. */
export interface StoredShard {
  readonly index: number;
  readonly keys: ReadonlySet<string>;
}

/** A shard that is to be stored. */
export interface ShardContent {
  readonly index: number;
  readonly keys: ReadonlySet<string>;
  readonly stored: ShardData;
}

interface PackedShard extends ShardContent {
  readonly bytes: number;
}

/** The lines of a shard. */
interface ShardLines extends StoredShard {
  readonly lines: readonly Line[];
}

/** A line, without its text: the texts of tens of thousands of entries are large, and are written again when their shard is. */
interface Line {
  readonly key: string;
  readonly entry: InventoryEntry;
  readonly bytes: number;
}

interface Bin {
  readonly index: number;
  readonly lines: Line[];
  bytes: number;
}

/**
 * Splits the entries of an inventory into shards by the bytes that they take as they are stored. An entry stays in its shard; where a shard
 * has grown too large, entries of it move to later ones, never to earlier ones: if an entry is in two shards, because a run was killed
 * between two writes, the later shard has the newer version. A shard that becomes empty is in the result, without a line.
 */
export function splitIntoShards(current: readonly StoredShard[], entries: ReadonlyMap<string, InventoryEntry>): readonly ShardContent[] {
  const lines = [...entries].map(([key, entry]) => lineOf(key, entry));
  const compressed = bytesOf(lines) > maxPlainBytes;
  let shards: readonly PackedShard[] = [];
  for (const share of compressed ? compressedShares : [1]) {
    const split = splitLines(current, lines, share);
    // One buffer for all shards: each would stay in memory until the next collection.
    const buffer = compressed ? Buffer.allocUnsafe(Math.max(...split.map((shard) => bytesOf(shard.lines)))) : undefined;
    shards = split.map(({ index, keys, lines: own }) => ({ index, keys, ...writeShardData(textsOf(own), buffer) }));
    if (shards.every(({ bytes }) => bytes <= maxShardBytes)) break;
  }
  return shards.map(({ index, keys, stored }) => ({ index, keys, stored }));
}

/** Splits lines into shards, each of which takes a share of the bytes of its lines. */
function splitLines(stored: readonly StoredShard[], all: readonly Line[], share: number): readonly ShardLines[] {
  const [target, max] = [targetShardBytes / share, maxShardBytes / share];
  const bins = new Map<number, Bin>();
  const binAt = (index: number) => {
    const bin = bins.get(index) ?? { index, lines: [], bytes: 0 };
    bins.set(index, bin);
    return bin;
  };
  const sorted = [...stored].sort((left, right) => left.index - right.index);
  const currentShards = new Map(sorted.flatMap(({ index, keys }) => [...keys].map((key) => [key, index] as const)));
  for (const { index } of sorted) binAt(index);
  const unplaced: { readonly line: Line; readonly after: number }[] = [];
  for (const line of all) {
    const current = currentShards.get(line.key);
    if (current === undefined) unplaced.push({ line, after: -1 });
    else put(binAt(current), line);
  }
  for (const bin of bins.values()) {
    if (bin.bytes <= max) continue;
    const moved: Line[] = [];
    while (bin.bytes > target) moved.unshift(take(bin));
    unplaced.push(...moved.map((line) => ({ line, after: bin.index })));
  }
  if (all.length === 0 && bins.size === 0) binAt(0); // for what an inventory has beside entries
  for (const { line, after } of unplaced) {
    const room = [...bins.values()].find(({ index, bytes }) => index > after && bytes + line.bytes <= target);
    put(room ?? binAt(Math.max(-1, ...bins.keys()) + 1), line);
  }
  return [...bins.values()]
    .sort((left, right) => left.index - right.index)
    .map(({ index, lines }) => ({ index, keys: new Set(lines.map(({ key }) => key)), lines }));
}

function lineOf(key: string, entry: InventoryEntry): Line {
  return { key, entry, bytes: Buffer.byteLength(fittingLine(entry)) + 1 + (entry.uid === undefined ? pendingGrowth : 0) };
}

function bytesOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { bytes }) => sum + bytes, 0);
}

function* textsOf(lines: readonly Line[]): Generator<string> {
  for (const { entry } of lines) yield fittingLine(entry);
}

function put(bin: Bin, line: Line): void {
  bin.lines.push(line);
  bin.bytes += line.bytes;
}

function take(bin: Bin): Line {
  const line = bin.lines.pop() as Line;
  bin.bytes -= line.bytes;
  return line;
}

/**
 * Returns the line of an entry. List items save a read before an edited intent is applied, and contention shows a fight: both may be left
 * out.
 */
function fittingLine(entry: InventoryEntry): string {
  const whole = writeEntry(entry);
  if (fits(whole)) return whole;
  const others = withoutItems(entry);
  const shorter = writeEntry(others);
  if (fits(shorter)) return shorter;
  const { contention: _, ...bare } = others;
  return writeEntry(bare);
}

/** Returns true if a line is not too long. A UTF-16 code unit takes three bytes at most in UTF-8. */
function fits(text: string): boolean {
  return text.length * 3 <= maxLineBytes || Buffer.byteLength(text) <= maxLineBytes;
}
