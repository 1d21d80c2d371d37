import type pc from 'picocolors';
import type { PlannedField } from '../../deploy/index.js';
import { changePaint } from './emphasis.js';
import { collateralLines, fieldText, ownersText } from './field-text.js';
import { changedLines, isLong } from './text-diff.js';

type Colors = ReturnType<typeof pc.createColors>;

/**
 * Formats the change of a field: one line, or of long values a line for each that differs.
 *
 * @param width of the word for the change.
 */
export function changeLines(field: PlannedField, colors: Colors, width: number): string[] {
  const { change, oldValue, newValue } = field;
  const head = `${changePaint(field, colors)(change.padEnd(width))} ${field.field}`;
  const long = (change === 'change' || change === 'force' || change === 'conflict') && (isLong(oldValue) || isLong(newValue));
  if (!long) return [`${head}${fieldText(field)}`, ...collateralLines(field)];
  const by = change === 'change' ? '' : `, from ${ownersText(field.owners)}`;
  return [`${head}:${by}`, ...changedLines(oldValue, newValue).map((line) => `  ${paintLine(line, colors)}`)];
}

function paintLine(line: string, colors: Colors): string {
  if (line.startsWith('+')) return colors.green(line);
  if (line.startsWith('-')) return colors.red(line);
  return line.startsWith('@@') ? colors.dim(line) : line;
}
