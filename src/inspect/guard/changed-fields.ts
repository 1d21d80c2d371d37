import type { FieldPath, PathElement } from '../../fields/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';
import type { GuardedField } from './guarded-fields.js';

/** A variable of a ValidatingAdmissionPolicy: an expression of the Common Expression Language (CEL) with a name. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** The states of an object that a request changes; a member is the expression of one. */
const states = ['new', 'old'] as const;
type State = (typeof states)[number];

/** The variables with both states, from which all others start: an object that does not exist has no fields. */
export const stateVariables: readonly Variable[] = [
  { name: 'new', expression: 'object == null ? dyn({}) : dyn(object)' },
  { name: 'old', expression: 'oldObject == null ? dyn({}) : dyn(oldObject)' },
];

/**
 * Collects the variables with which a policy compares fields of the new and the old object. Each list item is looked up once per state,
 * and each lookup costs as much as the list is long.
 */
export class ChangedFields {
  readonly #items = new Map<string, number>();
  readonly #variables: Variable[] = [];

  /** The variables that `changed` needs, in an order in which each needs only earlier ones. */
  get variables(): readonly Variable[] {
    return this.#variables;
  }

  /** Returns an expression for the list of the paths of those fields that a request changes. */
  changed(fields: readonly GuardedField[]): string {
    const tests = fields.map(({ path, text, compares }) => {
      const [left, right] = states.map((state) => this.#at(state, path) + (compares === 'presence' ? '.hasValue()' : ''));
      return `${left} == ${right} ? "" : ${literal(text)}`;
    });
    return `[\n${tests.map((test) => `  ${test}`).join(',\n')}\n].filter(field, field != "")`;
  }

  /** Returns an expression with the optional value at a path. */
  #at(state: State, path: FieldPath): string {
    const item = path.findLastIndex(({ kind }) => kind !== 'field');
    const start = item < 0 ? `variables.${state}` : `variables.${state}Item${this.#item(path.slice(0, item + 1))}`;
    return start + path.slice(item + 1).map(step).join('');
  }

  /** Returns the number of the variables with an item of a list. */
  #item(path: FieldPath): number {
    const key = stringifyExactJson(path as unknown as Json);
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    const [first, second] = states.map((state) => this.#at(state, path.slice(0, -1)) + step(path.at(-1) as PathElement));
    const number = this.#items.size + 1;
    this.#items.set(key, number);
    this.#variables.push(
      { name: `newItem${number}`, expression: first as string },
      { name: `oldItem${number}`, expression: second as string },
    );
    return number;
  }
}

/** Returns the expression of one step from an optional value, or from the object itself. */
function step(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return isIdentifier(element.name) ? `.?${element.name}` : `[?${literal(element.name)}]`;
    case 'key':
      return `${items}.filter(item, ${element.keys.map(([name, value]) => `item${step({ kind: 'field', name })} == optional.of(${literal(value)})`).join(' && ')})[?0]`;
    case 'value':
      return `${items}.filter(item, item == ${literal(element.value)})[?0]`;
    case 'index':
      throw new Error('An intent declares no item by its position.');
  }
}

/** The items of an optional list; a null has none. */
const items = '.optMap(entries, type(entries) == type([]) ? entries : []).orValue([])';

/** Source: Common Expression Language specification, "Syntax": identifiers, and the words that are reserved. */
const reserved = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(' '),
);

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reserved.has(name);
}

/** Returns a literal of the Common Expression Language; its strings have the escapes of JSON. */
export function literal(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(literal).join(', ')}]`;
  return stringifyExactJson(value);
}
