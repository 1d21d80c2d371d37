import type { ModulePlan, PlannedModule, PlannedType } from './module-plan.js';
import { constructorName } from './type-names.js';

/** The names that one module uses for types: plain names for its own, imports for others. */
export class ModuleNames {
  readonly #plan: ModulePlan;
  readonly #module: PlannedModule;
  readonly #aliases = new Map<string, string>();

  constructor(plan: ModulePlan, module: PlannedModule) {
    this.#plan = plan;
    this.#module = module;
  }

  /** The modules referred to so far, with the name each is imported under. */
  get imported(): ReadonlyMap<string, string> {
    return new Map([...this.#aliases].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  typeOf(id: string): PlannedType {
    const type = this.#plan.types.get(id);
    if (type === undefined) throw new Error(`The plan has no type ${JSON.stringify(id)}.`);
    return type;
  }

  isOwn(id: string): boolean {
    const type = this.typeOf(id);
    return type.module === this.#module.path && !type.external;
  }

  literal(id: string): string {
    return `${this.#prefix(id)}${this.typeOf(id).base}Apply`;
  }

  input(id: string): string {
    return `${this.#prefix(id)}${this.typeOf(id).base}Input`;
  }

  /** Returns the name of a type in the module's table. */
  inTable(id: string): string {
    const { module, base } = this.typeOf(id);
    this.#prefix(id);
    return this.isOwn(id) ? base : `${module}.${base}`;
  }

  #prefix(id: string): string {
    if (this.isOwn(id)) return '';
    const { module } = this.typeOf(id);
    let alias = this.#aliases.get(module);
    if (alias === undefined) {
      // No generated name contains `$`, so an import cannot shadow one.
      const plain = `$${module.replace(/[^A-Za-z0-9]+/g, '_')}`;
      const used = new Set(this.#aliases.values());
      alias = plain;
      for (let number = 2; used.has(alias); number++) alias = `${plain}$${number}`;
      this.#aliases.set(module, alias);
    }
    return `${alias}.`;
  }
}

/** Returns the name of a constructor for a key tuple, of a type whose positions disagree about its keys. */
export function keyedConstructorName(base: string, keys: readonly string[]): string {
  const words = keys.map((key) => key.replace(/[^\p{L}\p{Nd}]/gu, '')).map((key) => key.charAt(0).toUpperCase() + key.slice(1));
  return `${constructorName(base)}By${words.join('And')}`;
}
