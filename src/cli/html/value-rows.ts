import { structuredPatch } from 'diff';
import type { Json } from '../../util/json.js';
import type { ValueRow } from './page-data.js';
import { valueYaml } from './value-text.js';

/** The equal lines around a change that are shown. */
const context = 3;
/** The number of changed lines from which texts are shown beside each other as they are, because they have little in common. */
const maxChangedLines = 2_000;

/** Returns the old and the new value side by side, line by line where both have several lines. */
export function valueRows(oldValue: Json | undefined, newValue: Json | undefined): readonly ValueRow[] {
  const before = oldValue === undefined ? undefined : valueYaml(oldValue);
  const after = newValue === undefined ? undefined : valueYaml(newValue);
  if (before?.includes('\n') && after?.includes('\n')) return linesSideBySide(before, after) ?? [{ old: before, new: after }];
  if (before === undefined && after === undefined) return [];
  return [{ ...(before === undefined ? {} : { old: before }), ...(after === undefined ? {} : { new: after }) }];
}

function linesSideBySide(before: string, after: string): readonly ValueRow[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context, maxEditLength: maxChangedLines });
  if (patch === undefined) return undefined;
  if (patch.hunks.length === 0) return [{ old: before, new: after }];
  let line = 1;
  return patch.hunks.flatMap(({ oldStart, oldLines, lines }) => {
    const omitted = oldStart - line;
    line = oldStart + oldLines;
    const [first, ...rest] = paired(lines.filter((text) => !text.startsWith('\\')));
    return first === undefined ? [] : [omitted > 0 ? { ...first, omitted } : first, ...rest];
  });
}

/** Puts removed lines beside the added lines that follow them. */
function paired(lines: readonly string[]): readonly ValueRow[] {
  const rows: ValueRow[] = [];
  let unpaired = 0;
  for (const text of lines) {
    const content = text.slice(1);
    if (text.startsWith('-')) {
      rows.push({ old: content });
      unpaired += 1;
    } else if (!text.startsWith('+')) {
      rows.push({ old: content, new: content });
      unpaired = 0;
    } else if (unpaired > 0) {
      rows[rows.length - unpaired] = { ...rows[rows.length - unpaired], new: content };
      unpaired -= 1;
    } else rows.push({ new: content });
  }
  return rows;
}
