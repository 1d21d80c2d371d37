import type { ReleasedField, ReportedError } from '../../../deploy/index.js';
import { sentence } from '../../../util/error.js';
import { jsonEqual } from '../../../util/json.js';
import { ownersText } from '../field-text.js';
import { valueText } from '../values.js';
import { emptyPhrase, type Phrase, phrase } from './phrase.js';

/** Formats an error or a warning: the message, then the next step. */
export function errorPhrase({ message, next }: Pick<ReportedError, 'message' | 'next'>): Phrase {
  return phrase`${next === undefined ? sentence(message) : `${sentence(message)} ${sentence(next)}`}`;
}

/** Formats a released field that its other owners keep. */
export function keptPhrase({ field, newValue, owners }: Pick<ReleasedField, 'field' | 'newValue' | 'owners'>): Phrase {
  return phrase`releases ${field}: stays ${valueText(newValue)}, owned by ${ownersText(owners)}`;
}

/** Formats a released field that has another value afterwards, or no owner. */
export function removedPhrase({ field, change, oldValue, newValue, owners, reason }: Omit<ReleasedField, 'collateral'>): Phrase {
  const [before, after] = [valueText(oldValue), valueText(newValue)];
  const by = owners && owners.length > 0 ? phrase`, owned by ${ownersText(owners)}` : emptyPhrase;
  const because = reason === undefined ? emptyPhrase : phrase` (${reason})`;
  if (change === 'defaulted') {
    return jsonEqual(oldValue, newValue)
      ? phrase`releases ${field}: ${before} stays, and nobody owns it`
      : phrase`releases ${field}: ${before}, defaulted to ${after}`;
  }
  if (change === 'item-removed') return phrase`releases ${field}: the whole item is removed, was ${before}${by}`;
  if (change === 'rejected') {
    return newValue === undefined
      ? phrase`cannot release ${field}: ${before} cannot be removed${because}`
      : phrase`cannot release ${field}: ${before} cannot become ${after}${because}`;
  }
  return phrase`releases ${field}: removed, was ${before}${by}${because}`;
}
