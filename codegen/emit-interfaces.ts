import type { Field, SchemaDiagnostic } from '../src/schema/index.js';
import { builderMethods } from '../src/schema/index.js';
import { aliasText, interfaceText } from './declaration-text.js';
import { deprecatedTag, docs, docText } from './doc-comment.js';
import type { Entry } from './entries.js';
import type { FieldFacts } from './facts/field-facts.js';
import type { ModulePlan, PlannedModule } from './module-plan.js';
import { relationText } from './relation-text.js';
import { brandText, inputText } from './shape-schema.js';

export interface InterfaceOptions {
  /** Writes descriptions as doc comments; the sharing rule of a field is always written. */
  readonly docs: boolean;
  /** The facts of the built-in API, which become doc comments. */
  readonly facts?: FieldFacts | undefined;
  /** Ids of the types that stand inside atomic lists and maps only. */
  readonly insideAtomic: ReadonlySet<string>;
}

/**
 * Writes the literal, such as `DeploymentApply`. Fields with names that every object inherits take any value: a literal without them has it.
 *
 * @param isGuarded for a module that has the types `$Literal` and `$Found`
 */
export function literalInterface(
  plan: ModulePlan,
  entry: Entry,
  textOf: (name: string) => string,
  options: InterfaceOptions,
  isGuarded: boolean,
): string {
  const members = entry.shape.members.map(([name, field]) => {
    // `unknown` includes undefined.
    const type = textOf(name) === 'unknown' ? 'unknown' : name in Object.prototype ? 'any' : `${textOf(name)} | undefined`;
    return { text: `readonly ${propertyName(name)}?: ${type}`, docs: memberDocs(plan, entry, name, field, options) };
  });
  const free = entry.shape.open ? [{ text: 'readonly [name: string]: unknown', docs: [] }] : [];
  return interfaceText(`${entry.base}Apply`, [...free, ...members], {
    bases: isGuarded ? ['$Literal'] : [],
    docs: docs(
      // The description of a part stands beside its function, that of a kind beside both.
      entry.root === undefined ? undefined : descriptionOf(entry, options),
      options.facts?.ofEntry('Literal', entry),
      ofRoot(entry, options),
    ),
  });
}

/** Writes what stands where the type is expected, such as `DeploymentInput`. */
export function inputType({ base, type }: Entry, isGuarded: boolean): string {
  const text = inputText(type, `${base}Apply`);
  return aliasText(`${base}Input`, isGuarded ? `$Found<${text}>` : text);
}

/** Writes the builder, such as `DeploymentBuilder`: one method per field, with the doc comment of the literal's field. */
export function builderInterface(
  plan: ModulePlan,
  module: PlannedModule,
  entry: Entry,
  textOf: (name: string) => string,
  options: InterfaceOptions,
  diagnostics: SchemaDiagnostic[],
): string {
  const fields = new Map(entry.shape.members);
  const type = { map: { ...entry.type.type.map, fields } };
  const without = new Set(entry.root ? ['apiVersion', 'kind'] : []);
  const { methods, renamed } = builderMethods(plan.schema, type, without);
  for (const { wireName, method } of renamed) {
    const { subject, path } = entry.type;
    diagnostics.push({
      code: 'name-changed',
      subject,
      path,
      message: `field ${JSON.stringify(wireName)} is set by ${method}: a shorter name was taken`,
    });
  }
  for (const { wireName, method } of methods.filter((one) => one.wireName in Object.prototype && textOf(one.wireName) !== 'unknown')) {
    const { subject, path } = entry.type;
    const message = `field ${JSON.stringify(wireName)} takes any value in a literal, because every object has a member of that name; ${method} knows its type`;
    diagnostics.push({ code: 'node-widened', subject, path, message });
  }
  const members = methods.map(({ wireName, method, argumentKind }) => {
    const type = textOf(wireName);
    const items =
      (argumentKind === 'items-by-key' || argumentKind === 'items-of-set') && type.startsWith('readonly ') && type.endsWith('[]');
    const name =
      argumentKind === 'entries' || argumentKind === 'atomic-map' ? 'entries' : argumentKind === 'atomic-list' ? 'values' : 'value';
    return {
      text: `${method}(${items ? '...items' : name}: ${type}): this`,
      docs: methodDocs(plan, entry, wireName, method, fields.get(wireName) as Field, options),
    };
  });
  const base = brandText({ module: module.path, base: entry.base });
  return interfaceText(`${entry.base}Builder`, members, {
    bases: [`$.ApplyConfiguration<${base}, ${entry.base}Apply>`, ...(entry.shape.open ? [] : [documentedBase(entry)])],
  });
}

/** Returns the base from which the methods inherit their comments. */
function documentedBase({ base, root }: Entry): string {
  return root === undefined ? `$.Documented<${base}Apply>` : `$.Documented<${base}Apply, $.RootMethodNames<${base}Apply>>`;
}

/**
 * Returns the doc comment of a method that does not inherit it: that of a literal with free names, and one whose name is not made of the
 * field's name alone, so that it says which field it declares. Editors strike a name through only where its own comment says so.
 */
function methodDocs(plan: ModulePlan, entry: Entry, name: string, method: string, field: Field, options: InterfaceOptions): string[] {
  const own = memberDocs(plan, entry, name, field, options);
  if (method !== inheritingMethod(name)) return docs(docText(`Declares \`${name}\`.`), ...own);
  if (entry.shape.open) return own;
  return options.docs && deprecatedTag(field.description) !== undefined ? ['@deprecated'] : [];
}

/** Returns the name that `$.Documented` gives to the method of a field. */
function inheritingMethod(name: string): string {
  return `with${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function memberDocs(plan: ModulePlan, { type, root }: Entry, name: string, field: Field, options: InterfaceOptions): string[] {
  // The types of these two hold their only value.
  if (options.facts !== undefined && root !== undefined && (name === 'apiVersion' || name === 'kind')) return [];
  const description = options.docs && field.description ? docText(field.description) : undefined;
  // List map keys come from the schema: they may contain anything, even the end of a comment.
  const facts = options.facts?.ofField(type, name, field) ?? relationText(plan.schema, field.type, options.insideAtomic.has(type.id));
  const deprecated = options.docs ? deprecatedTag(field.description) : undefined;
  return docs(description, facts === undefined ? undefined : docText(facts), deprecated);
}

/** Returns the doc comment of the function that makes a builder. */
export function builderDocs(entry: Entry, options: InterfaceOptions): string[] {
  return docs(descriptionOf(entry, options), options.facts?.ofEntry('Builder', entry), ofRoot(entry, options));
}

function descriptionOf({ type }: Entry, options: InterfaceOptions): string | undefined {
  const { description } = type.type;
  return options.docs && description ? docText(description) : undefined;
}

/** Returns the mark of a whole kind: a deprecation of its version, in its author's words. */
function ofRoot({ root }: Entry, { docs: withProse }: InterfaceOptions): string | undefined {
  const text = root?.root.deprecated;
  if (text === undefined) return undefined;
  return withProse ? `@deprecated ${docText(text)}` : '@deprecated';
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : JSON.stringify(name);
}
