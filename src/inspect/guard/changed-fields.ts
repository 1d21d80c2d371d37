import type { FieldPath, PathElement } from '../../fields/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';
import type { GuardedField } from './guarded-fields.js';

/** A variable of a ValidatingAdmissionPolicy: an expression of the Common Expression Language (CEL) with a name. */
export type Variable = { readonly name: string; readonly expression: string };

/** The states of an object that a request changes, as variables are named after them. */
const states = ['new', 'old'] as const;
type State = (typeof states)[number];

/** The variables with both states, from which all others start: an object that does not exist has no fields. */
export const stateVariables: readonly Variable[] = [
  { name: 'new', expression: 'object == null ? dyn({}) : dyn(object)' },
  { name: 'old', expression: 'oldObject == null ? dyn({}) : dyn(oldObject)' },
];

/**
 * Collects the variables with which a policy compares fields of the new and the old object. A server evaluates a variable at most once per
 * request, so an item is looked up once per state, at a cost that grows with the length of its list.
 */
export class ChangedFields {
  readonly #numbers = new Map<string, number>();
  readonly #variables: Variable[] = [];

  /** The variables that the expressions need, in an order in which each needs only earlier ones. */
  get variables(): readonly Variable[] {
    return this.#variables;
  }

  /** Returns an expression for the list of the paths of those fields that a request changes. */
  changed(fields: readonly GuardedField[]): string {
    const tests = fields.map((field) => `  ${this.#isSame(field)} ? '' : ${literal(field.text)}`);
    return `[\n${tests.join(',\n')}\n].filter(field, field != '')`;
  }

  #isSame({ path, compares }: GuardedField): string {
    const [left, right] = states.map((state) => this.#at(state, path) + (compares === 'presence' ? '.hasValue()' : ''));
    const isSame = `${left} == ${right}`;
    return path.at(-1)?.kind === 'key' ? `${isSame} && ${this.#areItemsSame(path)}` : isSame;
  }

  /**
   * Returns an expression that is false where several items have the keys of one that is declared and any of them changes. Only the first of
   * them is compared field by field, but another may be the one in effect: the last entry of `env` with a name.
   */
  #areItemsSame(path: FieldPath): string {
    const [list, element] = [path.slice(0, -1), path.at(-1) as PathElement];
    const identity = elementIdentity(element);
    const isUnique = states.map((state) => {
      return `${this.#index(state, path)} == ${this.#identities(state, list, element)}.lastIndexOf(${identity})`;
    });
    const all = states.map((state) => `${this.#list(state, list)}.filter(item, ${keysOf(element)} == ${identity})`);
    return `(${isUnique.join(' && ')} || ${all.join(' == ')})`;
  }

  /**
   * Returns an expression with the optional value at a path. No variable on the way is optional itself: a server takes each member of such a
   * variable for absent (observed on 1.36), and would find no change.
   */
  #at(state: State, path: FieldPath): string {
    const end = path.findLastIndex(({ kind }) => kind !== 'field') + 1;
    return (end === 0 ? `variables.${state}` : this.#item(state, path.slice(0, end))) + path.slice(end).map(step).join('');
  }

  /** Returns the item that a path names: a server compares identities of items much faster than it evaluates a test for each item. */
  #item(state: State, path: FieldPath): string {
    return `${this.#list(state, path.slice(0, -1))}[?${this.#index(state, path)}]`;
  }

  /** Returns the index of the first item that a path names, or -1. */
  #index(state: State, path: FieldPath): string {
    const [list, element] = [path.slice(0, -1), path.at(-1) as PathElement];
    return this.#variable('Index', path, state, (of) => `${this.#identities(of, list, element)}.indexOf(${elementIdentity(element)})`);
  }

  /** Returns what identifies the items of a list: their keys, or they themselves. */
  #identities(state: State, list: FieldPath, element: PathElement): string {
    if (element.kind !== 'key') return this.#list(state, list);
    return this.#variable('Keys', list, state, (of) => `${this.#list(of, list)}.map(item, ${keysOf(element)})`);
  }

  /** Returns the items of a list; one that is absent or null has none. */
  #list(state: State, path: FieldPath): string {
    return this.#variable(
      'List',
      path,
      state,
      (of) => `${this.#at(of, path)}.optMap(entries, type(entries) == list ? entries : []).orValue([])`,
    );
  }

  /** Defines the variables of a path in both states, unless they are defined, and returns the one of a state. */
  #variable(kind: 'Index' | 'Keys' | 'List', path: FieldPath, state: State, expression: (of: State) => string): string {
    const key = `${kind} ${stringifyExactJson(path as unknown as Json)}`;
    if (!this.#numbers.has(key)) {
      const expressions = states.map((of) => [of, expression(of)] as const); // defines the variables that these need
      const number = this.#numbers.size + 1;
      this.#numbers.set(key, number);
      this.#variables.push(...expressions.map(([of, text]) => ({ name: `${of}${kind}${number}`, expression: text })));
    }
    return `variables.${state}${kind}${this.#numbers.get(key)}`;
  }
}

/** Returns the expression of one step to a field of an object, or of an optional one. */
function step(element: PathElement): string {
  const name = element.kind === 'field' ? element.name : '';
  return isIdentifier(name) ? `.?${name}` : `[?${literal(name)}]`;
}

/** Returns the expression of the keys of an item. */
function keysOf(element: PathElement): string {
  const names = element.kind === 'key' ? element.keys.map(([name]) => name) : [];
  return `[${names.map((name) => `item${step({ kind: 'field', name })}`).join(', ')}]`;
}

/** Returns the identity of the item that a path element names. */
function elementIdentity(element: PathElement): string {
  if (element.kind === 'value') return literal(element.value);
  return `[${(element.kind === 'key' ? element.keys : []).map(([, value]) => `optional.of(dyn(${literal(value)}))`).join(', ')}]`;
}

/** Words that are not names of fields. Source: Common Expression Language specification, "Syntax". */
const reserved = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(' '),
);

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reserved.has(name);
}

/** Returns a literal of the Common Expression Language. Its strings have the escapes of JSON; single quotes need fewer ones in YAML. */
export function literal(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(literal).join(', ')}]`;
  const text = stringifyExactJson(value);
  return typeof value === 'string' ? `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : text;
}
