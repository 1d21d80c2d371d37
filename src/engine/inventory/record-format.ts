import { FieldwiseError } from '../../util/error.js';
import { quote } from '../../util/quote.js';
import { damaged } from './inventory-entry.js';
import type { StackIdentity } from './stack-identity.js';

/**
 * The format of a stack's records: inventory, history and Lease. It rises when an earlier version would misread what a later one writes; what is only
 * added, and may be missing, does not raise it.
 */
const format = 1;

/** The first version of Fieldwise that reads the format. */
const firstVersion = '0.0.0';

/** The format as the inventory names it. */
export const formatText = `${format} ${firstVersion}`;

/**
 * Returns the error for records of a later format, or of one that no version writes; undefined for those of this version or an earlier one.
 *
 * @param text as the inventory has it; undefined: an earlier version wrote it.
 * @param where the ConfigMap.
 */
export function formatError(text: string | undefined, { stack, manager }: StackIdentity, where: string): FieldwiseError | undefined {
  if (text === undefined) return undefined;
  const [number = '', version = 'a later version'] = text.split(' ');
  if (!/^\d+$/.test(number)) return damaged(where, undefined, `a format that no version writes, ${quote(text.slice(0, 40))}`);
  if (Number(number) <= format) return undefined;
  return new FieldwiseError(
    'records-of-later-version',
    'resource',
    `A later version of Fieldwise has deployed stack ${stack}: its records have format ${number}, and this version reads formats up to ${format}`,
    { location: { manager }, next: `Nothing was changed. Use Fieldwise ${version}, or a later one.` },
  );
}
