import type { Json } from '../../util/json.js';
import { printable } from '../render/printable.js';
import { unifiedLines } from '../render/text-diff.js';
import type { PageValue } from './page-data.js';
import { valueYaml } from './value-text.js';

/** Returns an old and a new value: texts as they are where they have several lines, everything else as YAML. */
export function pageValue(oldValue: Json | undefined, newValue: Json | undefined): PageValue {
  const before = valueText(oldValue);
  const after = valueText(newValue);
  if (before !== undefined && before === after) return { stays: before };
  if (before !== undefined && after !== undefined && (before.includes('\n') || after.includes('\n')))
    return { lines: unifiedLines(before, after).join('\n') };
  return { ...(before === undefined ? {} : { old: before }), ...(after === undefined ? {} : { new: after }) };
}

function valueText(value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' && value.includes('\n') ? printable(value) : valueYaml(value);
}
