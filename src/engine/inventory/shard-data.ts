import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isJsonObject, type JsonObject } from '../../util/json.js';

/** The part of a ConfigMap that holds the entries of a shard: as text, or compressed and in base64. */
export type ShardData = { readonly data: { readonly entries: string } } | { readonly binaryData: { readonly entries: string } };

/** A longer text is damaged, or forged: no shard is written with more; see `splitIntoShards`. */
const maxTextBytes = 8 * 2 ** 20;

/** Higher levels take three times as long and save a sixth: the uids are most of what is left. */
const compression = { level: 1 };

/**
 * Returns the entries of a shard as a ConfigMap holds them, and the bytes that count towards its limit.
 *
 * @param buffer has room for the bytes of all lines, with a line feed after each; without it the entries are stored as text.
 */
export function writeShardData(
  lines: Iterable<string>,
  buffer: Buffer | undefined,
): { readonly stored: ShardData; readonly bytes: number } {
  if (buffer === undefined) {
    const text = [...lines].join('\n');
    return { stored: { data: { entries: text } }, bytes: Buffer.byteLength(text) };
  }
  let end = 0; // Line by line: joined as text, the lines would be in memory three times.
  for (const line of lines) end += buffer.write(`${line}\n`, end); // The shards of a stack, unpacked one after the other, are whole lines.
  const packed = gzipSync(buffer.subarray(0, end), compression);
  return { stored: { binaryData: { entries: packed.toString('base64') } }, bytes: packed.length };
}

/**
 * Returns the lines of a shard, one entry each.
 *
 * @throws Error if there are none, or they cannot be decompressed.
 */
export function readShardLines(object: JsonObject): readonly string[] {
  const packed = storedEntries(object.binaryData);
  const text =
    packed === undefined
      ? storedEntries(object.data)
      : gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: maxTextBytes }).toString('utf8');
  if (text === undefined) throw new Error('they are missing');
  return text.split('\n').filter((line) => line !== '');
}

/** Returns true if a ConfigMap holds the entries already, in the same form. */
export function hasShardData(object: JsonObject, stored: ShardData): boolean {
  return 'data' in stored
    ? storedEntries(object.data) === stored.data.entries && object.binaryData === undefined
    : storedEntries(object.binaryData) === stored.binaryData.entries && storedEntries(object.data) === undefined;
}

/** Returns the entries of a ConfigMap as it stores them. */
export function shardDataOf({ data, binaryData }: JsonObject): ShardData {
  const packed = storedEntries(binaryData);
  return packed === undefined ? { data: { entries: storedEntries(data) ?? '' } } : { binaryData: { entries: packed } };
}

function storedEntries(data: unknown): string | undefined {
  const entries = isJsonObject(data) ? data.entries : undefined;
  return entries === undefined ? undefined : String(entries);
}

/** Returns the digest of the entries of a shard, which stands beside them: one that does not fit shows that others have edited them. */
export function shardDigest(stored: ShardData): string {
  const text = 'data' in stored ? stored.data.entries : stored.binaryData.entries;
  return createHash('sha256').update(text).digest('hex');
}

/** Returns true if the entries of a ConfigMap are not those that a run wrote. Of one that an earlier version wrote, this is unknown. */
export function isEditedShard(object: JsonObject): boolean {
  const digest = isJsonObject(object.data) ? object.data.digest : undefined;
  return digest !== undefined && digest !== shardDigest(shardDataOf(object));
}
