import type { SchemaDiagnostic } from '../src/schema/index.js';
import { constructors } from './emit-constructors.js';
import { builderDocs, builderInterface, type InterfaceOptions, inputType, literalInterface } from './emit-interfaces.js';
import { entriesOf, memberTypes } from './entries.js';
import type { KeyedPositions } from './list-keys.js';
import type { ModulePlan, PlannedModule } from './module-plan.js';
import { ModuleNames } from './names-in-module.js';
import { reexports } from './reexports.js';
import { tableJson, templateLiteral } from './table-text.js';
import { constructorName } from './type-names.js';
import { loadTsMorph } from './type-texts.js';

export interface EmitOptions extends InterfaceOptions {
  readonly header: string;
  /** False if compilers skip the module. */
  readonly checked: boolean;
  /** Returns the module specifier of the builders' run time, relative to the module. */
  readonly runtime: (module: string) => string;
  /** Returns the module specifier of another module, relative to the module. */
  readonly specifier: (from: string, to: string, external: boolean) => string;
}

const notFound = '"fieldwise/builders is not found: install fieldwise, or set moduleResolution to bundler"';

/** Writes one module: literal shapes, builders, constructors and the table. */
export async function emitModule(
  plan: ModulePlan,
  module: PlannedModule,
  positions: ReadonlyMap<string, KeyedPositions>,
  options: EmitOptions,
  diagnostics: SchemaDiagnostic[],
): Promise<string> {
  const names = new ModuleNames(plan, module);
  const entries = entriesOf(module);
  const isGuarded = !options.checked;
  const textOf = await memberTypes(plan, entries, names, positions);
  const declarations: string[] = [];
  const taken = new Set([...entries.map((entry) => entry.base), ...module.aliases.keys()].map(constructorName));
  for (const [index, entry] of entries.entries()) {
    const memberText = (wireName: string) => textOf(index, wireName);
    declarations.push(literalInterface(plan, entry, memberText, options, isGuarded));
    if (entry.root?.root.subresource === undefined) declarations.push(inputType(entry, isGuarded));
    declarations.push(builderInterface(plan, module, entry, memberText, options, diagnostics));
    declarations.push(
      ...constructors(entry, positions.get(entry.type.id), memberText, taken, builderDocs(entry, options), isGuarded ? '$Name' : 'string'),
    );
  }
  if (module.aliases.size > 0) declarations.push(aliasesText(module.aliases));
  const json = tableJson(module, names);
  const imports = [...names.imported].map(([path, alias]) => {
    const external = [...plan.types.values()].some((type) => type.module === path && type.external);
    return { alias, path, specifier: options.specifier(module.path, path, external) };
  });
  const text = [
    options.header,
    `import * as $ from '${options.runtime(module.path)}';\n`,
    // At run time a module only needs the table of another: a namespace object would cost more than the whole table.
    ...imports.map(
      ({ alias, specifier }) =>
        `import type * as ${alias} from '${specifier}';\nimport { $table as ${tableAlias(alias)} } from '${specifier}';\n`,
    ),
    ...reexports(plan, module, names, entries, (to, external) => options.specifier(module.path, to, external), isGuarded).map(
      (line) => `\n${line}\n`,
    ),
    isGuarded ? `\n${foundGuard}` : '',
    ...declarations.map((declaration) => `\n${declaration}`),
    tableStatement(module, imports, json),
  ].join('');
  refuseOtherCode(text, module);
  return text;
}

/**
 * In a module that compilers do not check, all types are `any` where its run time is not found. Then these types take no value, so that a
 * program that calls a constructor, also one of the package that the module exports, or writes a literal does not compile, and its error says why.
 */
const foundGuard = `/** The type itself, where the run time is found. */
type $Found<T> = '?' extends keyof $.Table ? ${notFound} : T;
type $Name = $Found<string>;
type $Function<T> = $Found<{}> extends string ? { readonly ${notFound}: never } : T;
type $Literal = $Found<{}> extends string ? { readonly ${notFound}: never } : {};
`;

/** Writes the further names of constructors: `export { excluded as permitted };`. */
function aliasesText(aliases: ReadonlyMap<string, string>): string {
  const names = [...aliases].map(([alias, base]) => `${constructorName(base)} as ${constructorName(alias)}`);
  return `export { ${names.join(', ')} };\n`;
}

/** The last defense against a schema that injects code into its module: only declarations are allowed. */
function refuseOtherCode(text: string, module: PlannedModule): void {
  const { ts } = loadTsMorph();
  const { SyntaxKind } = ts;
  const allowed = new Set([
    SyntaxKind.ImportDeclaration,
    SyntaxKind.ExportDeclaration,
    SyntaxKind.InterfaceDeclaration,
    SyntaxKind.TypeAliasDeclaration,
    SyntaxKind.FunctionDeclaration,
    SyntaxKind.VariableStatement,
  ]);
  const options = { languageVersion: ts.ScriptTarget.ES2022, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const file = ts.createSourceFile('module.ts', text, options);
  const { parseDiagnostics } = file as unknown as { readonly parseDiagnostics: readonly unknown[] };
  const other = file.statements.find(({ kind }) => !allowed.has(kind));
  if (other === undefined && parseDiagnostics.length === 0) return;
  throw new Error(
    `The module ${module.path} would hold other code: ${text
      .slice(other?.pos ?? 0, other?.end)
      .trim()
      .slice(0, 80)}`,
  );
}

// No alias of a module ends so, because paths contain no `$`.
function tableAlias(alias: string): string {
  return `${alias}$table`;
}

function tableStatement(module: PlannedModule, imports: readonly { readonly alias: string }[], json: string): string {
  return [
    '',
    'export const $table: $.Table = {',
    `  module: ${JSON.stringify(module.path)},`,
    `  imports: () => [${imports.map(({ alias }) => tableAlias(alias)).join(', ')}],`,
    // In a getter the text stays source code until it is first read.
    `  get json() { return ${templateLiteral(json)}; },`,
    '};',
    '',
  ].join('\n');
}
