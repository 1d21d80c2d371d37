/** Managers of the object of a pair: stacks of the program, and others. */
export type Manager = 'web' | 'next' | 'side' | 'gone' | 'docs' | 'them' | 'kubectl';

/** Values of fields of `.spec`, by name; null: the field is no longer declared. */
type Values = Readonly<Record<string, string | null>>;

/** What a deed does, in the words of the model; `deeds.ts` does it to the program or to the cluster. */
export interface DeedRule {
  /** The sentence of the page. */
  readonly does: string;
  /** When it is done as the second deed of a pair: all but deeds of others come before the plan. */
  readonly by: 'program' | 'command' | 'others' | 'run';
  /** Changes of the declarations, by stack. */
  readonly declares?: Readonly<Partial<Record<Manager, Values>>>;
  /** A whole declaration goes to another stack. */
  readonly moves?: { readonly from: Manager; readonly to: Manager; readonly as: 'own' | 'share' };
  /** `web` merges by another strategy. */
  readonly strategy?: 'dynamic';
  /** The stack leaves the program, and is pruned. */
  readonly leaves?: Manager;
  /** The stack takes these fields from the other by `transferFrom`. */
  readonly transfers?: { readonly from: Manager; readonly to: Manager; readonly fields: readonly string[] };
  /** The fields go from one stack to the other at once. */
  readonly hands?: { readonly from: Manager; readonly to: Manager; readonly fields: readonly string[] };
  /** The manager's part in these fields ends at once. */
  readonly ends?: { readonly manager: Manager; readonly fields: readonly string[] };
  /** The live object: gone, or another one with these fields of `them`. */
  readonly live?: 'gone' | Readonly<Record<string, string>>;
  /** Values that go back to an earlier revision at once. */
  readonly goesBack?: Values;
  /** Words with which plan and record tell of stacks, beside those of fields. */
  readonly told?: Readonly<Partial<Record<Manager, readonly string[]>>>;
  /** The deploy asks before its first write, if this stack has fields of the object, and no other stack gets the right to delete it. */
  readonly asks?: Manager;
  /** Stacks that have another field manager, which gets their fields. */
  readonly renames?: readonly Manager[];
  /** The definition of the kind is changed. */
  readonly redefines?: true;
  /** Nobody else may have fields of the object. */
  readonly alone?: true;
  /** The run is of this stack alone. */
  readonly only?: Manager;
}

export const deedRules = {
  'rename app': {
    does: 'The app has another name and `renamedFrom`: the fields of all its stacks go over to their new field managers.',
    by: 'program',
    renames: ['web', 'side', 'gone'],
  },
  'rename stack': {
    does: 'A stack has another name and `renamedFrom`: its fields go over to the new field manager.',
    by: 'program',
    renames: ['web'],
  },
  'move own→own': {
    does: 'Another stack of the app owns the object: it gets the fields and the right to delete, and the old stack releases its part.',
    by: 'program',
    moves: { from: 'web', to: 'next', as: 'own' },
  },
  'move own→share': {
    does: 'Another stack only shares the object: it gets the fields. Nobody has the right to delete any more, so the deploy asks.',
    by: 'program',
    moves: { from: 'web', to: 'next', as: 'share' },
    asks: 'web',
  },
  'move share→own': {
    does: 'The field of a share goes to the stack that owns the object; the share releases it.',
    by: 'program',
    declares: { web: { s: '1' }, side: { s: null } },
    asks: 'side',
  },
  'move of fields': {
    does: 'Two fields go from the owner to a share, one of them with another value: the share comes first, so that none is ever without a value.',
    by: 'program',
    declares: { web: { m: null, p: null }, side: { m: '1', p: '2' } },
  },
  transferFrom: {
    does: 'A share takes a field from the owner by `transferFrom`, and the owner no longer declares it: no release is told.',
    by: 'program',
    declares: { web: { t: null }, side: { t: '1' } },
    transfers: { from: 'web', to: 'side', fields: ['t'] },
  },
  'adopt before': {
    does: '`fieldwise adopt --from` moves a field from the owner to a share, before the deploy: the deploy finds nothing to do.',
    by: 'command',
    declares: { web: { h: null }, side: { h: '1' } },
    hands: { from: 'web', to: 'side', fields: ['h'] },
  },
  'value changed': {
    does: 'A stack declares other values. One of its fields was co-owned by another applier, the other not.',
    by: 'program',
    declares: { web: { u: '2', v: '2' } },
  },
  'field dropped': {
    does: 'A stack no longer declares two fields. One is co-owned by another applier, the other not.',
    by: 'program',
    declares: { web: { d: null, k: null } },
  },
  'list type changed': {
    does: 'The definition makes an atomic list a set: the next apply takes over its items.',
    by: 'others',
    redefines: true,
  },
  'CRD version added': {
    does: 'The definition has another version, which the server serves and does not store.',
    by: 'others',
    redefines: true,
  },
  'made again by others': {
    does: 'Somebody deletes the object and makes another one of the same name: the stacks apply to the new one.',
    by: 'others',
    live: { k: '1', o: 'theirs', v: '1', y: 'theirs' },
    told: { web: ['rejoined'], side: ['rejoined'], gone: ['rejoined'] },
  },
  'deleted by others': {
    does: 'Somebody deletes the object: the stack that owns it makes it again, and the shares join it.',
    by: 'others',
    live: 'gone',
    told: { web: ['creates'], side: ['rejoined'], gone: ['rejoined'] },
  },
  adopt: {
    does: '`fieldwise adopt` ends the ownership of kubectl in the fields that the stack declares and owns, too.',
    by: 'command',
    ends: { manager: 'kubectl', fields: ['c'] },
  },
  replace: {
    does: 'An immutable field has another value, under `replace: true`: the object is deleted and made again.',
    by: 'program',
    declares: { web: { r: '2' } },
    told: { web: ['recreates'] },
    alone: true,
  },
  'strategy moved': {
    does: 'A stack has the strategy `dynamic`: its owners and values stay.',
    by: 'program',
    strategy: 'dynamic',
  },
  'prune of a stack': {
    does: 'A share leaves the program with its stack, and `--prune-stacks` releases its fields after a question.',
    by: 'program',
    leaves: 'gone',
    asks: 'gone',
  },
  '-f documents': {
    does: 'The stack comes from documents instead of the program: nothing but its source changes.',
    by: 'run',
    only: 'web',
  },
  'saved plan': {
    does: '`diff --output-file plan=FILE` saves the plan, and `deploy --plan` does it.',
    by: 'run',
  },
  rollback: {
    does: '`fieldwise rollback` deploys the declarations of an earlier revision of the stack. Fields that another stack has by now stay with it.',
    by: 'run',
    goesBack: { b: '0' },
    asks: 'web',
  },
} as const satisfies Record<string, DeedRule>;

export type Deed = keyof typeof deedRules;

/** What a deploy does to one field of one stack. */
export interface FieldRule {
  /** The sentence of the page. */
  readonly when: string;
  readonly value: 'declared' | 'live' | 'none';
  /** Who owns the field afterwards. */
  readonly owners: 'the stack' | 'the stack and others' | 'others' | 'nobody';
  /** The word in plan and record; empty where the record is silent. */
  /** The deploy asks if the stack has no field of the object yet, and the owner is no stack of the program. */
  readonly asks?: true;
  readonly told: '' | 'forces' | 'yields' | 'releases: removed' | 'releases: kept';
}

export const fieldRules = {
  equal: { when: 'It is declared, with the live value.', value: 'live', owners: 'the stack and others', told: '' },
  unowned: { when: 'It is declared with another value, and nobody else owns it.', value: 'declared', owners: 'the stack', told: '' },
  forced: {
    when: 'It is declared with another value than that of its owner, under `conflicts: force`.',
    value: 'declared',
    owners: 'the stack',
    told: 'forces',
    asks: true,
  },
  yielded: {
    when: 'It is declared with another value than that of its owner, under `conflicts: yield`.',
    value: 'live',
    owners: 'others',
    told: 'yields',
  },
  removed: {
    when: 'The stack no longer declares it, and nobody else owns it.',
    value: 'none',
    owners: 'nobody',
    told: 'releases: removed',
  },
  kept: { when: 'The stack no longer declares it, and others own it.', value: 'live', owners: 'others', told: 'releases: kept' },
} as const satisfies Record<string, FieldRule>;

export type FieldSituation = keyof typeof fieldRules;

/** Ordered pairs for which the rules of their deeds do not hold. */
export interface PairRule {
  readonly first: readonly Deed[];
  readonly second: readonly Deed[];
  /** One of the two deeds. */
  readonly with?: Deed;
  /**
   * The deploy is refused with this code and changes nothing; or the command of the second deed has no effect; or the pair cannot be;
   * or the stack that leaves the program stays in the cluster with its fields, and a warning names it.
   */
  readonly outcome: { readonly refused: string } | 'no effect' | 'not run' | 'stack stays';
  /** The sentence of the page. */
  readonly why: string;
}

const programDeeds = (Object.keys(deedRules) as Deed[]).filter((deed) => deedRules[deed].by === 'program');

export const pairRules: readonly PairRule[] = [
  {
    first: ['rename app', 'prune of a stack'],
    second: ['rename app', 'prune of a stack'],
    outcome: 'stack stays',
    why: '`--prune-stacks` does not remove stacks that still have the former name of the app: another program may have that name by now. A warning names them (`stack-undeclared`).',
  },
  {
    first: ['saved plan'],
    second: programDeeds,
    outcome: { refused: 'plan-of-another' },
    why: 'The plan was made for the program before the deed.',
  },
  {
    first: ['prune of a stack'],
    second: ['saved plan'],
    outcome: { refused: 'flag-without-use' },
    why: 'A saved plan does not cover stacks that the program does not declare.',
  },
  {
    first: ['saved plan'],
    second: ['adopt before', '-f documents'],
    outcome: { refused: 'plan-of-another' },
    why: 'The plan was made for other declarations.',
  },
  {
    first: ['saved plan'],
    second: ['list type changed', 'made again by others', 'deleted by others', 'adopt'],
    outcome: { refused: 'plan-outdated' },
    why: 'The object or its owners are not as the plan saw them.',
  },
  {
    first: ['rename app', 'rename stack', 'move own→own', 'move own→share'],
    second: ['adopt'],
    outcome: 'no effect',
    why: 'A stack adopts only what it owns since its last deploy.',
  },
  {
    first: ['rename app', 'rename stack'],
    second: ['adopt before'],
    outcome: { refused: 'handoff-before-rename' },
    why: 'The stack has no field under its new name before the deploy.',
  },
  {
    first: ['move own→share', 'deleted by others'],
    second: ['move own→share', 'deleted by others'],
    outcome: { refused: 'share-target-missing' },
    why: 'Nobody owns the object any more who would make it again.',
  },
  {
    first: [
      'rename app',
      'rename stack',
      'move own→own',
      'move own→share',
      'move share→own',
      'move of fields',
      'transferFrom',
      'prune of a stack',
    ],
    second: ['-f documents'],
    outcome: 'not run',
    why: 'Documents are one stack, without `renamedFrom`, and are deployed without other stacks.',
  },
  {
    first: ['-f documents'],
    second: [
      'rename app',
      'rename stack',
      'move own→own',
      'move own→share',
      'move share→own',
      'move of fields',
      'transferFrom',
      'adopt before',
      'prune of a stack',
    ],
    outcome: 'not run',
    why: 'Documents are one stack, without `renamedFrom`, and are deployed without other stacks.',
  },
  {
    first: ['move share→own'],
    second: ['adopt before'],
    outcome: { refused: 'handoff-changes-values' },
    why: 'The apply of the adoption would release the field that the share no longer declares.',
  },
  {
    first: ['move of fields'],
    second: ['adopt before'],
    outcome: { refused: 'handoff-value-differs' },
    why: 'The apply of the adoption would change the field that moves with another value.',
  },
  {
    first: ['move own→own', 'replace'],
    second: ['move own→own', 'replace'],
    outcome: { refused: 'field-immutable' },
    why: 'The new stack has not made the object, so it does not replace it in the run that moves it.',
  },
  {
    first: ['replace'],
    second: ['rollback'],
    outcome: { refused: 'field-immutable' },
    why: 'The earlier revision declares another value of an immutable field, without `replace`.',
  },
  {
    first: ['transferFrom', 'adopt before', 'replace'],
    second: ['transferFrom', 'adopt before', 'replace'],
    with: 'replace',
    outcome: { refused: 'field-immutable' },
    why: 'The share has a field of the object, which would be lost if the object were made again.',
  },
  {
    first: ['move own→share', 'replace'],
    second: ['move own→share', 'replace'],
    outcome: { refused: 'policy-invalid' },
    why: 'A share replaces nothing.',
  },
];

export function pairRuleOf(rules: readonly PairRule[], first: Deed, second: Deed): PairRule | undefined {
  return rules.find(
    (rule) =>
      rule.first.includes(first) &&
      rule.second.includes(second) &&
      (rule.with === undefined || rule.with === first || rule.with === second),
  );
}

export interface Rules {
  readonly deeds: Readonly<Record<Deed, DeedRule>>;
  readonly fields: Readonly<Record<FieldSituation, FieldRule>>;
  readonly pairs: readonly PairRule[];
}
