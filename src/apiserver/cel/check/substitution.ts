import { type CelType, dynType, parameter, sameType } from '../types/cel-type.js';

/** The types that type parameters stand for, by their names. */
export class Substitution {
  #bound: Map<string, CelType>;
  #fresh = 0;

  constructor() {
    this.#bound = new Map();
  }

  /** Returns a type parameter that no type names. */
  freshParam(): CelType {
    return { kind: 'param', name: `_var${this.#fresh++}`, parameters: [] };
  }

  /** Returns the types with the type parameters of a signature replaced by fresh ones. */
  instantiate(types: readonly CelType[]): readonly CelType[] {
    const fresh = new Map<string, CelType>();
    const replace = (type: CelType): CelType => {
      if (type.kind !== 'param') return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(replace) };
      const known = fresh.get(type.name) ?? this.freshParam();
      fresh.set(type.name, known);
      return known;
    };
    return types.map(replace);
  }

  /** Replaces bound parameters by their types; unbound ones by `dyn` if asked. */
  resolve(type: CelType, unboundToDyn = false): CelType {
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.resolve(bound, unboundToDyn);
      return unboundToDyn ? dynType : type;
    }
    return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map((each) => this.resolve(each, unboundToDyn)) };
  }

  /** Returns true if each type can stand for the other one in its place, and keeps what that says of type parameters. */
  unify(left: readonly CelType[], right: readonly CelType[]): boolean {
    if (left.length !== right.length) return false;
    const before = this.#bound;
    this.#bound = new Map(before);
    if (left.every((type, index) => this.#assignable(type, right[index] as CelType))) return true;
    this.#bound = before;
    return false;
  }

  #assignable(left: CelType, right: CelType): boolean {
    if (right.kind === 'param') {
      const known = this.#bound.has(right.name);
      if (this.#bind(left, right)) return true;
      if (known) return false;
    }
    if (left.kind === 'param') return this.#bind(right, left);
    if (isWild(left) || isWild(right)) return true;
    if (left.kind === 'null') return isNullable(right);
    if (right.kind === 'null') return isNullable(left);
    if (left.kind !== right.kind) return false;
    if (left.kind === 'type') return true;
    if (left.name !== right.name || left.parameters.length !== right.parameters.length) return false;
    return left.parameters.every((each, index) => this.#assignable(each, right.parameters[index] as CelType));
  }

  /** Binds a parameter to a type, or to the more general one of it and the type that it is bound to. */
  #bind(type: CelType, param: CelType): boolean {
    if (sameType(type, param)) return true;
    const known = this.#bound.get(param.name);
    if (known === undefined) {
      if (this.#occurs(param, type)) return false;
      this.#bound.set(param.name, type);
      return true;
    }
    if (sameType(type, known)) return true;
    if (!this.#assignable(type, known)) return false;
    const general = isLessSpecific(type, known) ? type : known;
    if (!this.#occurs(param, general)) this.#bound.set(param.name, general);
    return true;
  }

  #occurs(param: CelType, type: CelType): boolean {
    if (type.kind === 'param') {
      if (type.name === param.name) return true;
      const bound = this.#bound.get(type.name);
      return bound !== undefined && this.#occurs(param, bound);
    }
    return type.parameters.some((each) => this.#occurs(param, each));
  }
}

function isWild({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

function isNullable({ kind }: CelType): boolean {
  return ['null', 'opaque', 'object', 'duration', 'timestamp'].includes(kind);
}

/** Returns true if a type says no more than another one. */
export function isLessSpecific(left: CelType, right: CelType): boolean {
  if (left.kind === 'dyn' || left.kind === 'param') return true;
  if (right.kind === 'dyn' || right.kind === 'param') return false;
  if (left.kind !== right.kind) return false;
  if (left.kind === 'type') return true;
  if (left.name !== right.name || left.parameters.length !== right.parameters.length) return false;
  return left.parameters.every((each, index) => isLessSpecific(each, parameter(right, index)));
}
