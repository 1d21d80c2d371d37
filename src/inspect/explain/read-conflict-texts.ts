import type { ConflictText, FieldConflictText } from './conflict-text.js';
import { plainText } from './plain-text.js';
import { readContestedFields } from './read-contested-fields.js';
import { readReleaseConflicts } from './read-release-conflicts.js';
import { recognizeTool } from './recognize-tool.js';
import { unescapedMessage } from './unescaped-message.js';

const header = /Apply\s{1,200}failed\s{1,200}with\s{1,200}(\d{1,9})\s{1,200}conflicts?:\s{1,200}/gi;

/** The characters before and after a message that can tell which tool printed it. */
const surroundings = 2000;

/**
 * Reads all conflicts in a text that tools have printed, each once. Works in a time proportional to the length of the text, whatever it
 * contains.
 */
export function readConflictTexts(text: string): readonly ConflictText[] {
  const plain = plainText(text);
  const headers = [...plain.matchAll(header)].map((found) => ({
    count: Number(found[1]),
    start: found.index,
    body: found.index + found[0].length,
  }));
  const fields = headers.map(({ count, start, body }, index): FieldConflictText => {
    const end = headers[index + 1]?.start ?? plain.length;
    const previous = headers[index - 1]?.body ?? 0;
    const contested = readContestedFields(unescapedMessage(plain, body, end));
    const before = plain.slice(Math.max(previous, start - surroundings), start);
    const { tool, object } = recognizeTool(before, plain.slice(body, Math.min(end, body + surroundings)));
    return { about: 'fields', tool, ...(object === undefined ? {} : { object }), fields: contested, count };
  });
  return unique([...fields.filter((conflict) => conflict.fields.length > 0), ...readReleaseConflicts(plain)]);
}

/** Drops repetitions: Helm 4 prints an error as a line of its log, too. Equal conflicts of objects without a name are those of several objects. */
function unique(conflicts: readonly ConflictText[]): readonly ConflictText[] {
  const byText = new Map(
    conflicts.map((conflict, index) => [conflict.object === undefined ? index : JSON.stringify(conflict), conflict] as const),
  );
  return [...byText.values()];
}
