import { effectWords } from '../../render/formats/words-of-effects.js';
import { element } from './dom.js';

const words: readonly (readonly [word: string, meaning: string])[] = [
  ['stack', 'a group of objects that is deployed as a unit'],
  ['instance', 'one installation of an app'],
  ...effectWords.map(({ plan, said, meaning }) => [`${plan} (${said})`, meaning] as const),
  ['existed before', 'the stack did not create the object, and owns fields of it from now on'],
  ['blocked', 'the deploy of the object would fail'],
];

/** Returns the meanings of the words of a plan, folded. */
export function wordsList(): HTMLElement {
  const entries = words.flatMap(([word, meaning]) => [element('dt', {}, word), element('dd', {}, meaning)]);
  return element('details', { class: 'facts' }, element('summary', {}, 'What do these words mean?'), element('dl', {}, ...entries));
}
