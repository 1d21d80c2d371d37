import type { InterfaceDeclarationStructure, OptionalKind } from 'ts-morph';
import type { Field, SchemaDiagnostic } from '../src/schema/index.js';
import { builderMethods } from '../src/schema/index.js';
import { deprecatedTag, docs, docText } from './doc-comment.js';
import type { Entry } from './entries.js';
import type { FieldFacts } from './facts/field-facts.js';
import type { ModulePlan, PlannedModule } from './module-plan.js';
import { relationText } from './relation-text.js';

export interface InterfaceOptions {
  /** Descriptions become doc comments; how owners share a field always does. */
  readonly docs: boolean;
  /** What is known of the built-in API; it goes into the doc comments. */
  readonly facts?: FieldFacts | undefined;
}

/** `DeploymentApply`: the literal. */
export function literalInterface(
  plan: ModulePlan,
  entry: Entry,
  textOf: (name: string) => string,
  options: InterfaceOptions,
): OptionalKind<InterfaceDeclarationStructure> {
  return {
    name: `${entry.base}Apply`,
    isExported: true,
    docs: docs(
      options.docs && entry.type.type.description ? docText(entry.type.type.description) : undefined,
      options.facts?.ofEntry('Literal', entry),
      ofRoot(entry, options),
    ),
    properties: entry.shape.members.map(([name, field]) => ({
      name: propertyName(name),
      isReadonly: true,
      hasQuestionToken: true,
      // `unknown` holds undefined already.
      type: textOf(name) === 'unknown' ? 'unknown' : `${textOf(name)} | undefined`,
      docs: memberDocs(plan, entry, name, field, options),
    })),
    indexSignatures: entry.shape.open ? [{ isReadonly: true, keyName: 'name', keyType: 'string', returnType: 'unknown' }] : [],
  };
}

/** `DeploymentBuilder`: one method a field. */
export function builderInterface(
  plan: ModulePlan,
  module: PlannedModule,
  entry: Entry,
  textOf: (name: string) => string,
  options: InterfaceOptions,
  diagnostics: SchemaDiagnostic[],
): OptionalKind<InterfaceDeclarationStructure> {
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
  return {
    name: `${entry.base}Builder`,
    isExported: true,
    docs: builderDocs(entry, options),
    extends: [`$.ApplyConfiguration<${JSON.stringify(`${module.path}.${entry.base}`)}, ${entry.base}Apply>`],
    methods: methods.map(({ wireName, method, argumentKind }) => {
      const text = textOf(wireName);
      const items =
        (argumentKind === 'items-by-key' || argumentKind === 'items-of-set') && text.startsWith('readonly ') && text.endsWith('[]');
      const name =
        argumentKind === 'entries' || argumentKind === 'atomic-map' ? 'entries' : argumentKind === 'atomic-list' ? 'values' : 'value';
      return {
        name: method,
        parameters: [items ? { name: 'items', isRestParameter: true, type: text } : { name, type: text }],
        returnType: 'this',
        docs: memberDocs(plan, entry, wireName, fields.get(wireName) as Field, options),
      };
    }),
  };
}

function memberDocs(plan: ModulePlan, { type, root }: Entry, name: string, field: Field, options: InterfaceOptions): string[] {
  // The types of these two hold their only value.
  if (options.facts !== undefined && root !== undefined && (name === 'apiVersion' || name === 'kind')) return [];
  const description = options.docs && field.description ? docText(field.description) : undefined;
  // List map keys are names out of the schema: they may hold anything, the end of a comment included.
  const facts = options.facts?.ofField(type, name, field) ?? relationText(plan.schema, field.type);
  const deprecated = options.docs ? deprecatedTag(field.description) : undefined;
  return docs(description, facts === undefined ? undefined : docText(facts), deprecated);
}

/** What the interface of a builder and the function that makes it say. */
export function builderDocs(entry: Entry, options: InterfaceOptions): string[] {
  return docs(options.facts?.ofEntry('Builder', entry), ofRoot(entry, options));
}

/** What the whole kind is marked with: a deprecation of its version. Its text is the author's prose. */
function ofRoot({ root }: Entry, { docs: withProse }: InterfaceOptions): string | undefined {
  const text = root?.root.deprecated;
  if (text === undefined) return undefined;
  return withProse ? `@deprecated ${docText(text)}` : '@deprecated';
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : JSON.stringify(name);
}
