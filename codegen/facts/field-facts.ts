import type { Field } from '../../src/schema/index.js';
import { resolve } from '../../src/schema/index.js';
import type { Json } from '../../src/util/json.js';
import type { Entry } from '../entries.js';
import type { ModulePlan, PlannedModule, PlannedType } from '../module-plan.js';
import { relationText } from '../relation-text.js';
import { dependentDefaults, fixedDefaults } from './defaults.js';
import { type Immutable, immutableFields } from './immutable.js';
import { referenceUrl } from './reference-url.js';
import { typeWords } from './type-words.js';

/** Facts about the built-in API in Fieldwise's own words: from the schema, and from the observed behavior of a kube-apiserver. */
export class FieldFacts {
  readonly #plan: ModulePlan;
  readonly #modules: ReadonlyMap<string, PlannedModule>;
  /** The sentence about the immutability of a field, by type id and field. */
  readonly #immutable: ReadonlyMap<string, string>;

  readonly #insideAtomic: ReadonlySet<string>;

  /** @param insideAtomic ids of the types that stand inside atomic lists and maps only */
  constructor(plan: ModulePlan, insideAtomic: ReadonlySet<string>) {
    this.#plan = plan;
    this.#insideAtomic = insideAtomic;
    this.#modules = new Map(plan.modules.map((module) => [module.path, module]));
    this.#immutable = immutableByField(plan);
  }

  /** Returns one paragraph about a field of a type. */
  ofField(type: PlannedType, name: string, field: Field): string {
    const words = [
      typeWords(resolve(this.#plan.schema, field.type)),
      relationText(this.#plan.schema, field.type, this.#insideAtomic.has(type.id)),
      type.type.map.required.includes(name) ? 'Required.' : undefined,
      defaultWords(`${type.module}.${type.base}`, name, field),
      this.#immutable.get(fieldKey(type.id, name)),
      this.#link(type),
    ];
    return words.filter((word) => word !== undefined).join(' ');
  }

  /** Returns one line about a literal or a builder. */
  ofEntry(noun: 'Literal' | 'Builder', { type, root }: Entry): string {
    const status = root?.root.subresource === 'status' ? 'the status of ' : '';
    return `${noun} of ${status}\`${type.base}\` (${type.module}). ${this.#link(type)}`;
  }

  #link(type: PlannedType): string {
    return `[Reference](${referenceUrl(this.#modules.get(type.module) as PlannedModule, type.base)})`;
  }
}

function defaultWords(type: string, name: string, field: Field): string | undefined {
  const words = dependentDefaults[type]?.[name];
  if (words !== undefined) return `Default: ${words}.`;
  const value = fixedDefaults[type]?.[name] ?? field.default;
  // In the schema, a zero value of a Go type only means that the field cannot be null.
  if (value === undefined || (fixedDefaults[type]?.[name] === undefined && isZero(value))) return undefined;
  return `Default: ${typeof value === 'string' ? `\`${value}\`` : `\`${JSON.stringify(value)}\``}.`;
}

function isZero(value: Json): boolean {
  return value === '' || value === 0 || value === false || (typeof value === 'object' && JSON.stringify(value) === '{}');
}

function immutableByField(plan: ModulePlan): ReadonlyMap<string, string> {
  const kinds = new Map<string, Map<string, string[]>>();
  for (const { root, typeId } of plan.modules.flatMap(({ roots }) => roots)) {
    if (root.subresource !== undefined) continue;
    for (const [path, when] of Object.entries(immutableFields[`${root.kind} ${root.apiVersion}`] ?? {})) {
      const key = declaringField(plan, typeId, path.split('.'));
      const words = kinds.get(key) ?? new Map<string, string[]>();
      kinds.set(key, words.set(when, [...(words.get(when) ?? []), root.kind]));
    }
  }
  return new Map(
    [...kinds].map(([key, words]) => [key, [...words].map(([when, names]) => immutableWords(when as Immutable, names)).join(' ')]),
  );
}

function immutableWords(when: Immutable, kinds: readonly string[]): string {
  if (when === 'set') return 'Immutable once set.';
  return when === 'exists' ? `Immutable once the ${kinds.join(' or ')} exists.` : `Immutable ${when}.`;
}

/** Returns the key of the type and field in which a path ends; steps through lists continue in their elements. */
function declaringField(plan: ModulePlan, typeId: string, [step = '', ...rest]: readonly string[]): string {
  const field = plan.types.get(typeId)?.type.map.fields.get(step);
  if (field === undefined) throw new Error(`A fact is about the field ${step} of ${typeId}, which does not exist.`);
  if (rest.length === 0) return fieldKey(typeId, step);
  const { list } = 'inline' in field.type ? field.type.inline : {};
  const inner = list?.element ?? field.type;
  if (!('name' in inner)) throw new Error(`A fact is about a field below ${step} of ${typeId}, which has no fields.`);
  return declaringField(plan, inner.name, rest);
}

function fieldKey(typeId: string, name: string): string {
  return `${typeId} ${name}`;
}
