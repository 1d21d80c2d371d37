import type { DeedRule, FieldRule, FieldSituation, Manager, Rules } from './rules.js';

/** The object of a pair, its owners and its declarations, as the table has them: fields of `.spec` by name. */
export interface Situation {
  /** Undefined where the object does not exist. */
  readonly live: Readonly<Record<string, string>> | undefined;
  readonly owners: Readonly<Record<string, readonly Manager[]>>;
  /** In the order of a deploy. */
  readonly declared: Readonly<Partial<Record<Manager, Declaration>>>;
  /** The stacks to which whole declarations have gone. */
  readonly movedTo: Readonly<Partial<Record<Manager, Manager>>>;
  /** Fields that a stack takes from another by \`transferFrom\`. */
  readonly transfers: readonly { readonly from: Manager; readonly to: Manager; readonly fields: readonly string[] }[];
  /** The rule that decided a field last, for the text of a failure. */
  readonly decidedBy: Readonly<Record<string, string>>;
  /** Stacks that are not in the program and that the run does not remove. */
  readonly staying?: readonly Manager[];
  /** The declarations are those of an earlier revision: what other stacks have by now stays with them. */
  readonly goesBack?: true;
}

export interface Declaration {
  readonly as: 'own' | 'share';
  readonly fields: Readonly<Record<string, string>>;
  readonly strategy?: 'dynamic';
  /** The object is made again, so that nobody can be applied before. */
  readonly replace?: true;
}

/** A line of a plan or a record, such as `web forces v from them`, and the rule that demands it. */
export interface Told {
  readonly line: string;
  readonly rule: string;
  /** The deploy asks before. */
  readonly asks?: true;
}

/** Fields that are left to their owner. */
export const yields = ['y'];

/**
 * Does a deed to the situation, as its rule says. A deed to a declaration that has moved is one to its new stack.
 *
 * @param hasEffect false if the command of the deed finds nothing to do.
 */
export function afterDeed(situation: Situation, name: string, rule: DeedRule, hasEffect = true): Situation {
  const decidedBy = { ...situation.decidedBy };
  const note = (fields: Iterable<string>) => {
    for (const field of fields) decidedBy[field] = name;
  };
  const declared: Record<string, Declaration> = { ...situation.declared };
  const now = (manager: Manager): Manager => situation.movedTo[manager] ?? manager;
  let { live, owners, movedTo, transfers } = situation;
  for (const [stack, values] of Object.entries(rule.declares ?? {})) {
    const { as, fields } = declared[now(stack as Manager)] ?? { as: 'share', fields: {} };
    declared[now(stack as Manager)] = { ...declared[now(stack as Manager)], as, fields: withValues(fields, values) };
    note(Object.keys(values));
  }
  if (rule.moves) {
    const { from, to, as } = rule.moves;
    const moved = declared[now(from)]?.fields ?? {};
    delete declared[now(from)];
    declared[to] = { as, fields: { ...declared[to]?.fields, ...moved } };
    movedTo = { ...movedTo, [from]: to };
    note(Object.keys(moved));
  }
  const holder = now('web');
  if (rule.strategy && declared[holder]) declared[holder] = { ...declared[holder], strategy: rule.strategy };
  if (rule.told?.web?.includes('recreates') && declared[holder]) declared[holder] = { ...declared[holder], replace: true };
  if (rule.leaves) {
    note(Object.keys(declared[rule.leaves]?.fields ?? {}));
    delete declared[rule.leaves];
  }
  if (rule.transfers) transfers = [...transfers, { ...rule.transfers, from: now(rule.transfers.from) }];
  for (const { from, to, fields } of hasEffect && rule.hands ? [rule.hands] : []) {
    // An adoption applies what the new owner declares of the object, with its `transferFrom`.
    const given = [{ from: now(from), fields }, ...transfers.filter((transfer) => transfer.to === to)];
    const all = given.flatMap(({ from: previous, fields: some }) => some.map((field) => ({ field, previous })));
    for (const { field, previous } of all) owners = { ...owners, [field]: [...without(owners[field], previous), to] };
  }
  for (const { manager, fields } of hasEffect && rule.ends ? [rule.ends] : []) {
    owners = { ...owners, ...Object.fromEntries(fields.map((field) => [field, without(owners[field], manager)])) };
    note(fields);
  }
  if (rule.live) {
    live = rule.live === 'gone' ? undefined : rule.live;
    owners = Object.fromEntries(Object.keys(live ?? {}).map((field) => [field, ['them']]));
    note(Object.keys({ ...situation.live, ...live }));
  }
  if (rule.goesBack && live) {
    live = withValues(live, rule.goesBack);
    note(Object.keys(rule.goesBack));
  }
  const left = Object.entries(declared).filter(([, { fields }]) => Object.keys(fields).length > 0);
  return { live, owners, declared: Object.fromEntries(left), movedTo, transfers, decidedBy };
}

/** Deploys the declarations, or those of one stack, and tells of it. */
export function deployed(
  situation: Situation,
  rules: Rules,
  only?: Manager,
): { readonly after: Situation; readonly told: readonly Told[] } {
  const told: Told[] = [];
  const owners: Record<string, readonly Manager[]> = { ...situation.owners };
  const live: Record<string, string> = { ...situation.live };
  const decidedBy: Record<string, string> = { ...situation.decidedBy };
  const decide = (stack: Manager, field: string, name: FieldSituation, declared?: string) => {
    const rule: FieldRule = rules.fields[name];
    const others = without(owners[field], stack);
    const isFirstContact = !hasFields(situation, stack) && others.some((manager) => !isStack(manager));
    if (rule.value === 'declared') live[field] = declared as string;
    if (rule.value === 'none') delete live[field];
    owners[field] = { 'the stack': [stack], 'the stack and others': [...others, stack], others, nobody: [] }[rule.owners];
    decidedBy[field] = `${decidedBy[field] ?? 'start'}, ${name}`;
    const asks = isFirstContact && rule.asks ? { asks: true as const } : {};
    if (rule.told !== '') told.push({ line: `${stack} ${rule.told} ${field}`, rule: decidedBy[field], ...asks });
  };
  const release = (stack: Manager, declared: Declaration | undefined) => {
    for (const [field, managers] of Object.entries(owners)) {
      if (!managers.includes(stack) || declared?.fields[field] !== undefined) continue;
      decide(stack, field, managers.length > 1 ? 'kept' : 'removed');
    }
  };
  const isOfRun = (stack: Manager) => isStack(stack) && (only === undefined || stack === only);
  for (const [from, to] of Object.entries(situation.movedTo) as [Manager, Manager][]) {
    if (situation.declared[to]?.as === 'own' && hasFields(situation, from))
      told.push({ line: `${to} moved from ${from}`, rule: 'move own→own' });
  }
  for (const [stack, field] of claimedFields(situation)) owners[field] = [...(owners[field] ?? []), stack];
  for (const [stack, declaration] of inOrder(situation).filter(([manager]) => isOfRun(manager))) {
    const isGiven = Object.entries(situation.movedTo).some(([from, to]) => to === stack && hasFields(situation, from as Manager));
    if (situation.live && declaration.as === 'own' && !hasFields(situation, stack) && !isGiven)
      told.push({ line: `${stack} adopts`, rule: 'first contact' });
    for (const [field, value] of Object.entries(declaration.fields)) {
      const others = without(owners[field], stack);
      const isLeft = yields.includes(field) || (situation.goesBack && others.every(isStack));
      const contested = others.length === 0 ? 'unowned' : isLeft ? 'yielded' : 'forced';
      decide(stack, field, live[field] === value ? 'equal' : contested, value);
    }
    for (const { from, to, fields } of situation.transfers.filter((transfer) => transfer.to === stack)) {
      const given = fields.filter((name) => owners[name]?.includes(from) && situation.declared[from]?.fields[name] === undefined);
      for (const field of given) {
        owners[field] = without(owners[field], from);
        told.push({ line: `${to} gets ${field} from ${from}`, rule: 'transferFrom' });
      }
    }
    release(stack, declaration);
  }
  const { staying = [] } = situation;
  const gone = [...new Set(Object.values(owners).flat())].filter(
    (stack) => isOfRun(stack) && situation.declared[stack] === undefined && !staying.includes(stack),
  );
  for (const stack of gone) release(stack, undefined);
  return { after: { ...situation, live, owners, decidedBy }, told };
}

/** The fields that stacks of the run give up to one that comes after them: it is a co-owner before anything is applied. */
function claimedFields(situation: Situation): readonly (readonly [Manager, string])[] {
  const order = inOrder(situation).map(([stack]) => stack);
  return inOrder(situation).flatMap(([stack, { fields, strategy }]) =>
    strategy === 'dynamic' || situation.transfers.some(({ to }) => to === stack)
      ? []
      : Object.keys(fields)
          .filter((field) => {
            const isGivenUp = (owner: Manager) => {
              const theirs = situation.declared[owner];
              return (
                theirs !== undefined && !theirs.replace && theirs.fields[field] === undefined && order.indexOf(owner) < order.indexOf(stack)
              );
            };
            return !situation.owners[field]?.includes(stack) && situation.owners[field]?.some(isGivenUp);
          })
          .map((field) => [stack, field] as const),
  );
}

/** Who takes fields over applies first, then who owns the object, then who shares it. */
function inOrder(situation: Situation): [Manager, Declaration][] {
  const { declared, transfers } = situation;
  const rank = ([stack, { as }]: [Manager, Declaration]) =>
    transfers.some(({ to }) => to === stack) || comesBefore(situation, stack) ? 0 : as === 'own' ? 1 : 2;
  return (Object.entries(declared) as [Manager, Declaration][]).sort((left, right) => rank(left) - rank(right));
}

/** Returns true if a stack declares fields that another stack of the program still owns and no longer declares. */
function comesBefore({ declared, owners, transfers }: Situation, stack: Manager): boolean {
  if (transfers.some(({ from }) => from === stack)) return false; // the two would wait for each other
  const isDynamic = (manager: Manager) => declared[manager]?.strategy === 'dynamic';
  return Object.keys(declared[stack]?.fields ?? {}).some((field) =>
    owners[field]?.some((owner) => {
      const theirs = declared[owner];
      const isLeft = theirs !== undefined && !theirs.replace && theirs.fields[field] === undefined;
      return isLeft && !owners[field]?.includes(stack) && !isDynamic(stack);
    }),
  );
}

function hasFields({ owners }: Situation, manager: Manager): boolean {
  return Object.values(owners).some((managers) => managers.includes(manager));
}

/** Whether the run asks because of this deed. */
export function doesAsk(situation: Situation, { asks }: DeedRule, start: Situation): boolean {
  if (asks !== undefined && situation.staying?.includes(asks)) return false;
  const heir = asks && situation.movedTo[asks];
  const isInherited = heir !== undefined && situation.declared[heir]?.as === 'own';
  return asks !== undefined && !isInherited && hasFields(start, asks) && (asks === 'web' || situation.declared[asks] === undefined);
}

export function isStack(manager: Manager): boolean {
  return manager !== 'them' && manager !== 'kubectl';
}

function withValues(fields: Readonly<Record<string, string>>, values: Readonly<Record<string, string | null>>): Record<string, string> {
  const all = Object.entries({ ...fields, ...values });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}

function without(managers: readonly Manager[] | undefined, manager: Manager): Manager[] {
  return (managers ?? []).filter((other) => other !== manager);
}
