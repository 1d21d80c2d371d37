import { singular } from '../../../codegen/type-names.js';
import type { NamedUse } from './type-uses.js';

// Words of names that say what kind of thing a type is and not which one: `SecretKeyRef` claims no more than `secret`.
const generic = new Set(
  'config configuration definition info item key list object option options param params ref reference selector setting settings source spec type value'.split(
    ' ',
  ),
);

/**
 * Returns true if the name of a type says another thing than the property that it stands below.
 *
 * It agrees if the property's name, in the plural or singular, is part of the type's name or the other way round, letters compared without
 * case and other characters left out: `Listener` and `listeners`, `KafkaBridgeTemplate` and `template`, `Ref` and `secretRef`. It also agrees
 * if every word of the type's name is a word of the property, words such as `Ref`, `Key` and `Selector` not counted, as long as one is left:
 * `SecretKeyRef` and `SecretKeySelector` agree with `bearerTokenSecret`, `BearerTokenSecret` contradicts `passwordSecret`.
 *
 * Not decided here: a name that the built-in API has for the same shape is right everywhere (`isNamedAfterBuiltIn`).
 */
export function contradicts(base: string, { property, many }: Pick<NamedUse, 'property' | 'many'>): boolean {
  const name = plain(base.replace(/\d+$/, ''));
  const forms = [property, ...(many ? [singular(property)] : [])].map(plain);
  if (forms.some((form) => form !== '' && (name.includes(form) || form.includes(name)))) return false;
  const claimed = wordsOf(base.replace(/\d+$/, '')).filter((word) => !generic.has(word));
  const said = new Set(forms.length > 1 ? [...wordsOf(property), ...wordsOf(singular(property))] : wordsOf(property));
  return claimed.length === 0 || claimed.some((word) => !said.has(word));
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** Words of a camel case name in lower case: `tlsConfigRef` → tls, config, ref; `TLSConfig` → tls, config. */
export function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}
