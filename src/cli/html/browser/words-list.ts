import { element } from './dom.js';

const words: readonly (readonly [word: string, meaning: string])[] = [
  ['stack', 'a group of objects that is deployed as a unit'],
  ['set', 'the field did not exist'],
  ['change', 'the field gets another value'],
  ['reorder', 'the items of a list stand in another order'],
  ['server', 'the field is not declared: the server sets, changes or removes it with this change'],
  ['same, co-own', 'the field keeps its value; with co-own, others own it, too'],
  ['force', 'another manager owns the field with another value: it is overwritten, and the other manager loses the field'],
  ['yield', 'the field is left to its owner'],
  ['conflict, rejected', 'the deploy of the object fails because of this field'],
  [
    'removed, defaulted, kept',
    'the program no longer declares the field: it is removed, gets the default of the server, or stays with its other owners',
  ],
  ['item-removed', 'a whole list item is removed, with the fields of others in it'],
  ['existed before', 'the stack did not create the object, and owns fields of it from now on'],
  ['blocked', 'the deploy of the object would fail'],
];

/** Returns the meanings of the words of a plan, folded. */
export function wordsList(): HTMLElement {
  const entries = words.flatMap(([word, meaning]) => [element('dt', {}, word), element('dd', {}, meaning)]);
  return element('details', { class: 'facts' }, element('summary', {}, 'What do these words mean?'), element('dl', {}, ...entries));
}
