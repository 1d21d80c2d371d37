/** The words of a plan and a record for one effect. */
export interface EffectWords {
  /** In the text, the page and the JSON of a plan. */
  readonly plan: string;
  /** In the text of a deploy. */
  readonly deploy: string;
  /** In Markdown; in that of a record, the past tense of it. */
  readonly said: string;
  readonly meaning: string;
}

/** The words for one effect in all forms, the heaviest loss first. */
export const effectWords: readonly EffectWords[] = [
  {
    plan: 'force',
    deploy: 'forced',
    said: 'takes',
    meaning: 'another manager owns the field with another value: it is overwritten, and the other manager loses the field',
  },
  {
    plan: 'removed, item-removed, defaulted',
    deploy: 'released',
    said: 'releases',
    meaning:
      'the program no longer declares the field: it is removed, as a whole list item with the fields of others in it, or gets the default of the server',
  },
  {
    plan: 'kept',
    deploy: 'released',
    said: 'releases, stays',
    meaning: 'the program no longer declares the field, and its other owners keep it',
  },
  {
    plan: 'conflict, rejected',
    deploy: 'conflict, rejected',
    said: 'conflicts in',
    meaning: 'the deploy of the object fails because of this field',
  },
  {
    plan: 'server',
    deploy: 'server',
    said: 'the server sets, changes, removes',
    meaning: 'the field is not declared: the server sets, changes or removes it with this change',
  },
  { plan: 'set, change', deploy: 'set, change', said: 'sets, changes', meaning: 'a declared field gets its first, or another value' },
  { plan: 'reorder', deploy: 'reorder', said: 'reorders', meaning: 'the items of a list stand in another order' },
  { plan: 'same', deploy: 'same', said: 'owns from now on', meaning: 'the field keeps its value, and the stack owns it from now on' },
  {
    plan: 'co-own',
    deploy: 'co-own',
    said: 'owns together with',
    meaning: 'several managers set the same value: nobody loses anything',
  },
  { plan: 'yield', deploy: 'yielded', said: 'leaves', meaning: 'the field is left to its owner, and stays as it is' },
];
