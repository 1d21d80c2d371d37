import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { ResponseBody } from '../harness/api-client.js';
import type { PlayedHistory } from './play.js';

const wholeSecond = (milliseconds: number) => Math.floor(milliseconds / 1_000);

/**
 * A text that two histories have in common where, from a line on, the same happens in both: the cluster is in the same state there, all that follows is the same, and so
 * are the reports. Then a fault from there on does the same in both. What is sent shows what a run has in mind.
 *
 * Left out are the names that servers choose (uids and versions count only by which of them are the same) and how long ago something was: it was in this second, within
 * a lease, within the minute in which a server carries out requests, or earlier.
 */
export function futureFrom({ ledger, runs, beginning }: PlayedHistory, line: number): string {
  const begins = ledger.lines[line]?.at ?? 0;
  const now = wholeSecond(beginning + begins);
  const states = ledger.names.flatMap((name) => {
    const known = ledger.of(name);
    const at = known.findLastIndex((state) => state.line < line);
    return known.slice(Math.max(0, at)).map((state) => [name, readable(state.object), Math.max(0, state.line - line)]);
  });
  const lines = ledger.lines.slice(line).map(({ at, who, text }) => [at - begins, who, /^wrote (Secret|Lease)/.test(text) ? '' : text]);
  const reports = runs.map(({ computer, entries, outcome }) => [
    computer.name,
    computer.isDead,
    entries,
    outcome?.exitCode,
    outcome?.errors,
  ]);
  const names = new Map<string, string>();
  const named = (kind: string, name: string) => {
    const known = names.get(name) ?? `${kind}${names.size}`;
    names.set(name, known);
    return known;
  };
  const text = JSON.stringify([states, lines, reports])
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f-]{17}/g, (uid) => named('uid', uid))
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => ageText(wholeSecond(Date.parse(time)) - now))
    .replace(/(resourceVersion[\\":]+|wrote \S+ \S+ as )(\d+)/g, (_, before, version) => before + named('version', version));
  return createHash('sha256').update(text).digest('base64');
}

function ageText(seconds: number): string {
  if (seconds >= 0) return `in ${seconds} s`;
  return seconds > -15 ? 'before' : seconds > -75 ? 'a lease before' : 'long before';
}

/** An object whose packed data are unpacked. */
function readable(object: ResponseBody): ResponseBody {
  if (object?.kind !== 'Secret') return object;
  const data = Object.entries((object.data ?? {}) as Record<string, string>).map(([key, value]) => [
    key,
    unpacked(Buffer.from(value, 'base64')),
  ]);
  return { ...object, data: Object.fromEntries(data) };
}

function unpacked(bytes: Buffer): string {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (isPacked ? gunzipSync(bytes) : bytes).toString();
  // Packed, and written as text.
  return text.startsWith('H4sI') ? gunzipSync(Buffer.from(text, 'base64')).toString() : text;
}
