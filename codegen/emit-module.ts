import type { FunctionDeclarationStructure, InterfaceDeclarationStructure, OptionalKind, StatementStructures } from 'ts-morph';
import { hiddenFields } from '../src/builders/build.js';
import { builderMethods } from '../src/builders/method-names.js';
import type { Field, Finding, resolve, TypeRef } from '../src/schema/index.js';
import { docs, docText } from './doc-comment.js';
import type { ShapeTexts } from './emit-shapes.js';
import { emitShapes } from './emit-shapes.js';
import type { KeyedPositions } from './list-keys.js';
import { agreedKeys, requiredKeys } from './list-keys.js';
import { keyedConstructorName, ModuleNames } from './names-in-module.js';
import type { Plan, PlannedModule, PlannedRoot, PlannedType } from './plan.js';
import { relationText } from './relation-text.js';
import type { JsonSchema, Shape } from './shape-schema.js';
import { ShapeSchemas } from './shape-schema.js';
import { tableJson, templateLiteral } from './table-text.js';
import { constructorName } from './type-names.js';

export interface EmitOptions {
  readonly header: string;
  /** Module specifier of the builders' run time, seen from the module. */
  readonly runtime: (module: string) => string;
  /** Module specifier of another module, seen from the module. */
  readonly specifier: (from: string, to: string, external: boolean) => string;
  readonly docs: boolean;
}

interface Entry {
  readonly base: string;
  readonly type: PlannedType;
  readonly shape: Shape;
  readonly root?: PlannedRoot;
}

/** Writes one module: literal shapes, builders, constructors and the table. */
export async function emitModule(
  plan: Plan,
  module: PlannedModule,
  positions: ReadonlyMap<string, KeyedPositions>,
  options: EmitOptions,
  findings: Finding[],
): Promise<string> {
  const { Project, StructureKind, IndentationText, QuoteKind } = await import('ts-morph');
  const names = new ModuleNames(plan, module);
  const entries = entriesOf(module);
  const { texts, member } = await shapesOf(plan, entries, names, positions);
  const statements: StatementStructures[] = [];
  for (const [index, entry] of entries.entries()) {
    const members = texts.get(placeholder(index)) as ReadonlyMap<string, string>;
    const textOf = (wireName: string) => members.get(member(wireName)) ?? 'unknown';
    statements.push({ kind: StructureKind.Interface, ...literalInterface(plan, entry, textOf, options) });
    statements.push({ kind: StructureKind.Interface, ...builderInterface(plan, module, entry, textOf, options, findings) });
    for (const made of constructors(entry, positions, textOf)) statements.push({ kind: StructureKind.Function, ...made });
  }
  const json = tableJson(module, names);
  const imports = [...names.imported].map(([path, alias]) => {
    const external = [...plan.types.values()].some((type) => type.module === path && type.external);
    return { alias, path, specifier: options.specifier(module.path, path, external) };
  });
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Single },
  });
  const file = project.createSourceFile('module.ts', {
    statements: [
      options.header,
      `import * as $ from '${options.runtime(module.path)}';`,
      ...imports.map(({ alias, specifier }) => `import * as ${alias} from '${specifier}';`),
      '\n',
      ...reexports(plan, module, names, entries, options),
      ...statements,
      tableStatement(module, imports, json),
    ],
  });
  return file.getFullText();
}

function entriesOf(module: PlannedModule): Entry[] {
  const entries: Entry[] = [];
  const rootTypes = new Set(module.roots.map((root) => root.typeId));
  for (const type of module.types) {
    if (rootTypes.has(type.id)) continue;
    const { map } = type.type;
    entries.push({ base: type.base, type, shape: { members: [...map.fields], open: map.element !== undefined } });
  }
  for (const root of module.roots) {
    const type = module.types.find((candidate) => candidate.id === root.typeId) as PlannedType;
    const { map } = type.type;
    const hidden = hiddenFields({ ...root.root, schema: { types: new Map([['root', type.type]]) }, type: { name: 'root' } });
    const members = [...map.fields].filter(([name]) => !hidden.has(name));
    entries.push({ base: root.base, type, root, shape: { members, open: map.element !== undefined, root: root.root } });
  }
  return entries.sort((a, b) => (a.base < b.base ? -1 : 1));
}

async function shapesOf(plan: Plan, entries: readonly Entry[], names: ModuleNames, positions: ReadonlyMap<string, KeyedPositions>) {
  // A type that is a root is meant by its main root: the status root is never part of another object.
  const places = new Map<string, number>();
  for (const [index, entry] of entries.entries()) if (entry.root?.root.subresource === undefined) places.set(entry.type.id, index);
  const schemas = new ShapeSchemas(plan.schema, names, positions, (id) => placeholder(places.get(id) as number));
  const odd = new Map<string, string>();
  const member = (wireName: string): string => {
    if (/^[A-Za-z][A-Za-z0-9]*$/.test(wireName) && !(wireName in Object.prototype)) return wireName;
    const alias = odd.get(wireName) ?? `$p${odd.size}`;
    odd.set(wireName, alias);
    return alias;
  };
  const definitions = new Map<string, JsonSchema>();
  for (const [index, entry] of entries.entries()) definitions.set(placeholder(index), schemas.ofShape(entry.shape, member));
  const nameOf = (text: string) => `${(entries[Number(text.slice(1))] as Entry).base}Apply`;
  const texts: ShapeTexts = await emitShapes(definitions, nameOf);
  return { texts, member };
}

function placeholder(index: number): string {
  return `T${index}`;
}

function literalInterface(
  plan: Plan,
  entry: Entry,
  textOf: (name: string) => string,
  options: EmitOptions,
): OptionalKind<InterfaceDeclarationStructure> {
  return {
    name: `${entry.base}Apply`,
    isExported: true,
    docs: docs(options.docs && entry.type.type.description ? docText(entry.type.type.description) : undefined),
    properties: entry.shape.members.map(([name, field]) => ({
      name: propertyName(name),
      isReadonly: true,
      hasQuestionToken: true,
      // `unknown` holds undefined already.
      type: textOf(name) === 'unknown' ? 'unknown' : `${textOf(name)} | undefined`,
      docs: memberDocs(plan, field, options),
    })),
    indexSignatures: entry.shape.open ? [{ isReadonly: true, keyName: 'name', keyType: 'string', returnType: 'unknown' }] : [],
  };
}

function builderInterface(
  plan: Plan,
  module: PlannedModule,
  entry: Entry,
  textOf: (name: string) => string,
  options: EmitOptions,
  findings: Finding[],
): OptionalKind<InterfaceDeclarationStructure> {
  const fields = new Map(entry.shape.members);
  const type = { map: { ...entry.type.type.map, fields } };
  const without = new Set(entry.root ? ['apiVersion', 'kind'] : []);
  const { methods, renamed } = builderMethods(plan.schema, type, without);
  for (const { wireName, method } of renamed) {
    const { subject, path } = entry.type;
    findings.push({
      code: 'name-changed',
      subject,
      path,
      reason: `field ${JSON.stringify(wireName)} is set by ${method}: a shorter name was taken`,
    });
  }
  return {
    name: `${entry.base}Builder`,
    isExported: true,
    extends: [`$.ApplyConfiguration<${JSON.stringify(`${module.path}.${entry.base}`)}, ${entry.base}Apply>`],
    methods: methods.map(({ wireName, method, form }) => {
      const text = textOf(wireName);
      const items = (form === 'items-by-key' || form === 'items-of-set') && text.startsWith('readonly ') && text.endsWith('[]');
      const name = form === 'entries' || form === 'atomic-map' ? 'entries' : form === 'atomic-list' ? 'values' : 'value';
      return {
        name: method,
        parameters: [items ? { name: 'items', isRestParameter: true, type: text } : { name, type: text }],
        returnType: 'this',
        docs: memberDocs(plan, fields.get(wireName) as Field, options),
      };
    }),
  };
}

function memberDocs(plan: Plan, field: Field, options: EmitOptions): string[] {
  const description = options.docs && field.description ? docText(field.description) : undefined;
  return docs(description, relationText(plan.schema, field.type));
}

function constructors(
  entry: Entry,
  positions: ReadonlyMap<string, KeyedPositions>,
  textOf: (name: string) => string,
): OptionalKind<FunctionDeclarationStructure>[] {
  const { base, type, root } = entry;
  const returnType = `${base}Builder`;
  const name = constructorName(base);
  if (root !== undefined) {
    const namespaced = root.root.scope === 'Namespaced';
    return [
      {
        name,
        isExported: true,
        parameters: [
          { name: 'name', type: 'string' },
          ...(namespaced ? [{ name: 'namespace', type: 'string', hasQuestionToken: true }] : []),
        ],
        returnType,
        statements: `return $.root($table, ${JSON.stringify(base)}, name${namespaced ? ', namespace' : ''});`,
      },
    ];
  }
  const made = (functionName: string, keys: readonly string[], result: string): OptionalKind<FunctionDeclarationStructure> => {
    const required = new Set(requiredKeys(type.type, keys));
    const ordered = [...keys.filter((key) => required.has(key)), ...keys.filter((key) => !required.has(key))];
    const parameters = ordered.map((key, index) => ({
      name: /^[a-z][A-Za-z0-9]*$/.test(key) ? constructorName(key) : `key${index + 1}`,
      type: textOf(key),
      ...(required.has(key) ? {} : { hasQuestionToken: true }),
    }));
    const seed = parameters.map((parameter, index) => {
      const key = ordered[index] as string;
      return parameter.name === key ? key : `${JSON.stringify(key)}: ${parameter.name}`;
    });
    const argument = seed.length === 0 ? '' : `, { ${seed.join(', ')} }`;
    return {
      name: functionName,
      isExported: true,
      parameters,
      returnType: result,
      statements: `return $.part($table, ${JSON.stringify(base)}${argument});`,
    };
  };
  const tuples = positions.get(type.id)?.tuples ?? [];
  const plain = made(name, agreedKeys(positions.get(type.id)), returnType);
  if (tuples.length < 2) return [plain];
  const marked = (keys: readonly string[]) => `${returnType} & $.WithKeys<${keys.map((key) => JSON.stringify(key)).join(' | ')}>`;
  return [plain, ...tuples.map((keys) => made(keyedConstructorName(base, keys), keys, marked(keys)))];
}

/** Constructors of other modules' types that this module's roots are built from, so that one import is enough. */
function reexports(plan: Plan, module: PlannedModule, names: ModuleNames, entries: readonly Entry[], options: EmitOptions): string[] {
  if (module.roots.length === 0) return [];
  const own = new Set(entries.map((entry) => constructorName(entry.base)));
  const reached = new Map<string, PlannedType>();
  const visit = (ref: TypeRef): void => {
    if ('name' in ref) {
      const type = plan.types.get(ref.name);
      if (type === undefined || reached.has(type.id)) return;
      reached.set(type.id, type);
      if (type.external) return;
      visitType(type.type);
    } else visitType(ref.inline);
  };
  const visitType = (type: ReturnType<typeof resolve>): void => {
    if (type.list) visit(type.list.element);
    for (const field of type.map?.fields.values() ?? []) visit(field.type);
    if (type.map?.element) visit(type.map.element);
  };
  for (const root of module.roots) visit({ name: root.typeId });
  const byModule = new Map<string, { names: string[]; external: boolean }>();
  for (const type of reached.values()) {
    const name = constructorName(type.base);
    if (names.isOwn(type.id) || own.has(name)) continue;
    own.add(name);
    const known = byModule.get(type.module) ?? { names: [], external: type.external };
    known.names.push(name);
    byModule.set(type.module, known);
  }
  return [...byModule]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([path, { names: list, external }]) =>
        `export { ${list.sort().join(', ')} } from '${options.specifier(module.path, path, external)}';`,
    );
}

function tableStatement(module: PlannedModule, imports: readonly { readonly alias: string }[], json: string): string {
  return [
    '',
    'export const $table: $.Table = {',
    `  module: ${JSON.stringify(module.path)},`,
    `  imports: () => [${imports.map(({ alias }) => `${alias}.$table`).join(', ')}],`,
    `  json: ${templateLiteral(json)},`,
    '};',
  ].join('\n');
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : JSON.stringify(name);
}
