import { structuredPatch } from 'diff';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json } from '../../util/json.js';

const longest = 120;
const context = 3;

/** Whether a change of this value is easier to read line by line. */
export function isLong(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  return typeof value === 'string'
    ? value.length > longest || value.includes('\n')
    : typeof value === 'object' && stringifyExactJson(value).length > longest;
}

/** A change as lines that begin with `-`, `+` or a blank, with three lines around each; `@@` between distant parts. */
export function changedLines(oldValue: Json | undefined, newValue: Json | undefined): string[] {
  const { hunks } = structuredPatch('', '', textOf(oldValue), textOf(newValue), '', '', { context });
  return hunks.flatMap(({ oldStart, newStart, lines }) => [
    ...(hunks.length > 1 || oldStart > 1 ? [`@@ line ${oldStart} → ${newStart} @@`] : []),
    ...lines.filter((line) => !line.startsWith('\\')),
  ]);
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : stringifyExactJson(inOrder(value), 2);
}

/** Members sorted by name: an order that differs is not a change. Items of lists stay where they are. */
function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name] ?? null)]));
}
