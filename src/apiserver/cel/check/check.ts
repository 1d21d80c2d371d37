import type { Overload } from '../functions/overload.js';
import type { Call, Comprehension, Expression, ListLiteral, MapLiteral, Select } from '../syntax/expression.js';
import { qualifiedName } from '../syntax/expression.js';
import type { SourceError } from '../syntax/source-error.js';
import {
  boolType,
  type CelType,
  dynType,
  errorType,
  formatType,
  intType,
  isOptional,
  listOf,
  mapOf,
  optionalOf,
  parameter,
  sameType,
  unwrapOptional,
} from '../types/cel-type.js';
import { type Environment, namedTypes } from './environment.js';
import { literalType } from './literal-type.js';
import { isLessSpecific, Substitution } from './substitution.js';

/** An expression whose types are known. */
export interface CheckedExpression {
  readonly expression: Expression;
  readonly type: CelType;
  /** Types by the ids of nodes. */
  readonly types: ReadonlyMap<number, CelType>;
  /** The overloads that a call may be of: several where an argument has no certain type. */
  readonly overloads: ReadonlyMap<number, readonly Overload[]>;
  /** Types by name, and the variables that chains of fields name, by the ids of nodes. */
  readonly names: ReadonlyMap<number, string>;
  /** Methods whose target is part of the name of a function, such as `optional.of`. */
  readonly namespaced: ReadonlySet<number>;
}

export type CheckResult = CheckedExpression | { readonly errors: readonly SourceError[] };

/** Finds the types of an expression. Source: the language definition of CEL, "Gradual Type Checking". */
export function check(expression: Expression, environment: Environment): CheckResult {
  const checker = new Checker(environment);
  checker.check(expression);
  return checker.finish(expression);
}

type Scope = { readonly parent: Scope | undefined; readonly names: ReadonlyMap<string, CelType> };

class Checker {
  readonly #environment: Environment;
  readonly #substitution = new Substitution();
  readonly #types = new Map<number, CelType>();
  readonly #overloads = new Map<number, readonly Overload[]>();
  readonly #names = new Map<number, string>();
  readonly #namespaced = new Set<number>();
  readonly #errors: SourceError[] = [];
  #scope: Scope | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  finish(expression: Expression): CheckResult {
    if (this.#errors.length > 0) return { errors: this.#errors };
    const types = new Map([...this.#types].map(([id, type]) => [id, this.#substitution.resolve(type, true)]));
    const type = types.get(expression.id) ?? dynType;
    return { expression, type, types, overloads: this.#overloads, names: this.#names, namespaced: this.#namespaced };
  }

  /** Finds the type of a node, and keeps it. */
  check(node: Expression): CelType {
    const type = this.#typeOf(node);
    this.#types.set(node.id, type);
    return type;
  }

  #fail(node: Expression, message: string): CelType {
    this.#errors.push({ offset: node.offset, message });
    return errorType;
  }

  #typeOf(node: Expression): CelType {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value);
      case 'identifier':
        return this.#resolve(node, node.name) ?? this.#undeclared(node, node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'comprehension':
        return this.#comprehension(node);
      case 'struct':
        return namedTypes.has(node.name) ? this.#fail(node, `'${node.name}' is not a message type`) : this.#undeclared(node, node.name);
    }
  }

  #undeclared(node: Expression, name: string): CelType {
    const dot = (node.kind === 'identifier' || node.kind === 'call') && node.isRooted === true ? '.' : '';
    return this.#fail(node, `undeclared reference to '${dot}${name}' (in container '')`);
  }

  /** Returns the type of the variable or type that a node names. */
  #resolve(node: Expression, name: string): CelType | undefined {
    const declared = this.#variable(name);
    const found = declared ?? namedTypes.get(name);
    if (found !== undefined && (declared === undefined || node.kind === 'select')) this.#names.set(node.id, name);
    return found;
  }

  #variable(name: string): CelType | undefined {
    for (let scope = this.#scope; scope !== undefined; scope = scope.parent) {
      const found = scope.names.get(name);
      if (found !== undefined) return found;
    }
    return this.#environment.variables.get(name);
  }

  #select(node: Select): CelType {
    const name = qualifiedName(node);
    const known = name === undefined ? undefined : this.#resolve(node, name);
    if (known !== undefined) return known;
    const field = this.#field(node, node.operand, node.field, false);
    return node.testOnly ? boolType : this.#substitution.resolve(field);
  }

  /** Returns the type of a field; errors are at the selection. */
  #field(node: Expression, operand: Expression, field: string, optional: boolean): CelType {
    const operandType = this.#substitution.resolve(this.check(operand));
    const target = unwrapOptional(operandType);
    const found = this.#fieldOf(node, target, field);
    return optional || isOptional(operandType) ? optionalOf(found) : found;
  }

  #fieldOf(node: Expression, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return parameter(target, 1);
      case 'object':
        return target.fields?.get(field) ?? this.#fail(node, `undefined field '${field}'`);
      case 'opaque':
        // The types of libraries are messages without fields, except for those of addresses.
        if (!target.name.startsWith('kubernetes.')) break;
        return this.#fail(node, `unexpected failed resolution of '${target.name}'`);
      case 'param':
        this.#substitution.unify([dynType], [target]);
        return dynType;
      case 'dyn':
      case 'error':
        return dynType;
    }
    this.#fail(node, `type '${formatType(target)}' does not support field selection`);
    return dynType;
  }

  #call(node: Call): CelType {
    if (node.name === '_?._') return this.#optionalSelect(node);
    for (const argument of node.args) this.check(argument);
    if (node.target === undefined) return this.#named(node, node.name, undefined);
    const prefix = qualifiedName(node.target);
    const name = `${prefix}.${node.name}`;
    if (prefix !== undefined && this.#environment.functions.has(name)) {
      this.#namespaced.add(node.id);
      return this.#named(node, name, undefined);
    }
    this.check(node.target);
    return this.#named(node, node.name, node.target);
  }

  #optionalSelect(node: Call): CelType {
    const [operand, field] = node.args as readonly [Expression, Expression];
    const name = field.kind === 'literal' ? String(field.value) : '';
    return this.#substitution.resolve(this.#field(node, operand, name, true));
  }

  #named(node: Call, name: string, target: Expression | undefined): CelType {
    const overloads = this.#environment.functions.get(name);
    if (overloads === undefined) return this.#undeclared(node, name);
    const args = target === undefined ? node.args : [target, ...node.args];
    const types = args.map(({ id }) => this.#types.get(id) ?? dynType);
    if (name === '_&&_' || name === '_||_') return this.#logical(node, overloads, types);
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.isMethod !== (target !== undefined)) continue;
      const [own, ...params] = this.#substitution.instantiate([overload.result, ...overload.params]);
      if (!this.#substitution.unify(types, params)) continue;
      found.push(overload);
      const type = this.#substitution.resolve(own as CelType);
      if (result === undefined) result = type;
      else if (result.kind !== 'dyn' && !sameType(result, type)) result = dynType;
    }
    this.#overloads.set(node.id, found);
    return result ?? this.#noOverload(node, name, types, target !== undefined);
  }

  #noOverload(node: Call, name: string, types: readonly CelType[], isMethod: boolean): CelType {
    const shown = types.map((type) => formatType(this.#substitution.resolve(type, true)));
    const signature = isMethod ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return this.#fail(node, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  /** The operands of a logical operator are reported one by one. */
  #logical(node: Call, overloads: readonly Overload[], types: readonly CelType[]): CelType {
    this.#overloads.set(node.id, overloads);
    let isFit = true;
    for (const [index, type] of types.entries()) {
      if (this.#substitution.unify([type], [boolType])) continue;
      isFit = false;
      this.#mismatch(node.args[index] as Expression, boolType, type);
    }
    return isFit ? boolType : errorType;
  }

  #mismatch(node: Expression, expected: CelType, found: CelType): void {
    this.#fail(node, `expected type '${this.#show(expected)}' but found '${this.#show(found)}'`);
  }

  #show(type: CelType): string {
    return formatType(type);
  }

  /** Returns the more general of two types of items. Items that differ in type are refused later, where no function allows them. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type;
    if (this.#substitution.unify([before], [type])) return isLessSpecific(before, type) ? before : type;
    return dynType;
  }

  /** Returns the type of an item or value that is left out if its optional has none. */
  #optionalItem(node: Expression, type: CelType, optional: boolean): CelType {
    if (!optional) return type;
    if (!isOptional(type) && type.kind !== 'dyn') this.#mismatch(node, optionalOf(type), type);
    return unwrapOptional(type);
  }

  #list(node: ListLiteral): CelType {
    let element: CelType | undefined;
    for (const [index, item] of node.items.entries())
      element = this.#join(element, this.#optionalItem(item, this.check(item), node.optional.has(index)));
    return listOf(element ?? this.#substitution.freshParam());
  }

  #map(node: MapLiteral): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of node.entries) {
      key = this.#join(key, this.check(entry.key));
      value = this.#join(value, this.#optionalItem(entry.value, this.check(entry.value), entry.optional));
    }
    return mapOf(key ?? this.#substitution.freshParam(), value ?? this.#substitution.freshParam());
  }

  #comprehension(node: Comprehension): CelType {
    const range = this.#substitution.resolve(this.check(node.range));
    const accumulator = this.check(node.init);
    const outer = this.#scope;
    this.#scope = { parent: outer, names: new Map([[node.accumulator, accumulator]]) };
    const inner = this.#scope;
    const [first, second] = this.#variables(node, range);
    const names = new Map([[node.variable, first]]);
    if (node.variable2 !== undefined) names.set(node.variable2, second);
    this.#scope = { parent: inner, names };
    this.#assert(node.condition, boolType);
    this.#assert(node.step, accumulator);
    this.#scope = inner;
    const result = this.check(node.result);
    this.#scope = outer;
    return this.#substitution.resolve(result);
  }

  #assert(node: Expression, expected: CelType): void {
    const found = this.check(node);
    if (!this.#substitution.unify([expected], [found])) this.#mismatch(node, expected, found);
  }

  /** Returns the types of the variables of a loop. */
  #variables(node: Comprehension, range: CelType): readonly [CelType, CelType] {
    const hasTwo = node.variable2 !== undefined;
    switch (range.kind) {
      case 'list':
        return hasTwo ? [intType, parameter(range, 0)] : [parameter(range, 0), dynType];
      case 'map':
        return [parameter(range, 0), parameter(range, 1)];
      case 'dyn':
      case 'error':
      case 'param':
        this.#substitution.unify([dynType], [range]);
        return [dynType, dynType];
      default: {
        const shown = formatType(range);
        this.#fail(node.range, `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`);
        return [errorType, errorType];
      }
    }
  }
}
