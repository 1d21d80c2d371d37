import type { PlannedField, ReleasedField, ReportedError, RewrittenField } from '../../../deploy/index.js';
import { sentence } from '../../../util/error.js';
import { jsonEqual } from '../../../util/json.js';
import { orderText, ownersText } from '../field-text.js';
import { valueText } from '../values.js';
import { emptyPhrase, type Phrase, phrase, wordsPhrase } from './phrase.js';
import { withLines } from './value-phrases.js';

/** Formats an error or a warning: the message, then the next step. */
export function errorPhrase({ message, next }: Pick<ReportedError, 'message' | 'next'>): Phrase {
  return phrase`${next === undefined ? sentence(message) : `${sentence(message)} ${sentence(next)}`}`;
}

/** The tense of a sentence: of a plan, or of a deploy that was done. */
export type Tense = 'releases' | 'released' | 'released in an earlier run';

/** Formats a declared field of which the server keeps another value, or none. */
export function rewrittenPhrase({ field, declared, value }: RewrittenField): Phrase {
  return phrase`${field}: declared ${valueText(declared)}, the server keeps ${value === undefined ? wordsPhrase('no value') : valueText(value)}`;
}

/** Formats a list of which the items stand in another order. */
export function reorderPhrase(
  word: 'reorders' | 'reordered',
  { field, oldValue, newValue }: Pick<PlannedField, 'field' | 'oldValue' | 'newValue'>,
): Phrase {
  return phrase`${wordsPhrase(word)} ${field}: ${orderText(oldValue)} → ${orderText(newValue)}`;
}

/** Formats a field that is not declared, and that the server sets, changes or removes. */
export function serverPhrase(
  word: 'sets' | 'set',
  { field, oldValue, newValue, owners = [] }: Pick<PlannedField, 'field' | 'oldValue' | 'newValue' | 'owners'>,
): Phrase {
  const verb = oldValue === undefined ? word : newValue === undefined ? serverVerbs[word].removed : serverVerbs[word].changed;
  const by = owners.length > 0 ? phrase`, owned by ${ownersText(owners)}` : emptyPhrase;
  const head = phrase`the server ${wordsPhrase(verb)} ${field}`;
  if (newValue === undefined) return phrase`${head}: was ${valueText(oldValue)}${by}`;
  return oldValue === undefined
    ? phrase`${head}: ${valueText(newValue)}${by}`
    : phrase`${head}: ${valueText(oldValue)} → ${valueText(newValue)}${by}`;
}

const serverVerbs = { sets: { removed: 'removes', changed: 'changes' }, set: { removed: 'removed', changed: 'changed' } } as const;

/** Formats a released field that its other owners keep. */
export function keptPhrase(release: Tense, { field, newValue, owners }: Pick<ReleasedField, 'field' | 'newValue' | 'owners'>): Phrase {
  return phrase`${wordsPhrase(release)} ${field}: stays ${valueText(newValue)}, owned by ${ownersText(owners)}`;
}

/** Formats a released field that has another value afterwards, or no owner. */
export function removedPhrase(
  release: Tense,
  { field, change, oldValue, newValue, owners, reason }: Omit<ReleasedField, 'collateral'>,
): Phrase {
  const [before, after] = [valueText(oldValue), valueText(newValue)];
  const by = owners && owners.length > 0 ? phrase`, owned by ${ownersText(owners)}` : emptyPhrase;
  const because = reason === undefined ? emptyPhrase : phrase` (${reason})`;
  if (change === 'defaulted') {
    return jsonEqual(oldValue, newValue)
      ? phrase`${wordsPhrase(release)} ${field}: ${before} stays, and nobody owns it`
      : phrase`${wordsPhrase(release)} ${field}: ${before}, defaulted to ${after}`;
  }
  if (change === 'item-removed') return phrase`${wordsPhrase(release)} ${field}: the whole item is removed, was ${before}${by}`;
  if (change === 'rejected') {
    return newValue === undefined
      ? phrase`the server rejects ${field}: ${before} cannot be removed${because}`
      : phrase`the server rejects ${field}: ${before} cannot become ${after}${because}`;
  }
  if (change === 'perhaps') return phrase`perhaps ${wordsPhrase(release)} ${field}: was ${before}`;
  const head = phrase`${wordsPhrase(release)} ${field}`;
  return withLines(phrase`${head}: removed, was ${before}${by}${because}`, phrase`${head}, removed${by}${because}`, '-', oldValue);
}
