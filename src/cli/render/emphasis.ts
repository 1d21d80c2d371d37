import type pc from 'picocolors';
import type { PlannedField, ReleasedField } from '../../deploy/index.js';

type Colors = ReturnType<typeof pc.createColors>;
type Paint = (text: string) => string;

/** The changes of a field by which somebody loses it, or its value is removed. */
const losses: ReadonlySet<string> = new Set(['force', 'removed', 'defaulted', 'item-removed', 'perhaps']);

/** Returns true for a change by which somebody loses the field, or its value is removed. */
export function isLoss({ change }: { readonly change: PlannedField['change'] | ReleasedField['change'] }): boolean {
  return losses.has(change);
}

/** The color of what is taken from somebody, or released. */
export function lossPaint(colors: Colors): Paint {
  return (text) => colors.bold(colors.yellow(text));
}

/** The color of what is deleted, or cannot be done. */
export function dangerPaint(colors: Colors): Paint {
  return (text) => colors.bold(colors.red(text));
}

/** Returns the color of the word for the change of a field. */
export function changePaint(field: Pick<PlannedField, 'change'>, colors: Colors): Paint {
  if (isLoss(field)) return lossPaint(colors);
  if (field.change === 'conflict' || field.change === 'rejected') return dangerPaint(colors);
  return (text) => text;
}
