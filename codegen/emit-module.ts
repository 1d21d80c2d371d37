import type { SourceFile, StatementStructures } from 'ts-morph';
import type { SchemaDiagnostic } from '../src/schema/index.js';
import { constructors } from './emit-constructors.js';
import { builderDocs, builderInterface, type InterfaceOptions, literalInterface } from './emit-interfaces.js';
import { loadTsMorph } from './emit-shapes.js';
import { entriesOf, shapesOf } from './entries.js';
import type { KeyedPositions } from './list-keys.js';
import type { ModulePlan, PlannedModule } from './module-plan.js';
import { ModuleNames } from './names-in-module.js';
import { reexports } from './reexports.js';
import { tableJson, templateLiteral } from './table-text.js';
import { constructorName } from './type-names.js';

export interface EmitOptions extends InterfaceOptions {
  readonly header: string;
  /** Module specifier of the builders' run time, seen from the module. */
  readonly runtime: (module: string) => string;
  /** Module specifier of another module, seen from the module. */
  readonly specifier: (from: string, to: string, external: boolean) => string;
}

/** Writes one module: literal shapes, builders, constructors and the table. */
export async function emitModule(
  plan: ModulePlan,
  module: PlannedModule,
  positions: ReadonlyMap<string, KeyedPositions>,
  options: EmitOptions,
  diagnostics: SchemaDiagnostic[],
): Promise<string> {
  const { Project, StructureKind, IndentationText, QuoteKind } = loadTsMorph();
  const names = new ModuleNames(plan, module);
  const entries = entriesOf(module);
  const textOf = await shapesOf(plan, entries, names, positions);
  const statements: StatementStructures[] = [];
  const taken = new Set(entries.map((entry) => constructorName(entry.base)));
  for (const [index, entry] of entries.entries()) {
    const memberText = (wireName: string) => textOf(index, wireName);
    statements.push({ kind: StructureKind.Interface, ...literalInterface(plan, entry, memberText, options) });
    statements.push({ kind: StructureKind.Interface, ...builderInterface(plan, module, entry, memberText, options, diagnostics) });
    for (const made of constructors(entry, positions.get(entry.type.id), memberText, taken, builderDocs(entry, options))) {
      statements.push({ kind: StructureKind.Function, ...made });
    }
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
      // At run time a module needs nothing of another but its table: a namespace object would cost more than all of the table.
      ...imports.flatMap(({ alias, specifier }) => [
        `import type * as ${alias} from '${specifier}';`,
        `import { $table as ${tableAlias(alias)} } from '${specifier}';`,
      ]),
      '\n',
      ...reexports(plan, module, names, entries, (to, external) => options.specifier(module.path, to, external)),
      ...statements,
      tableStatement(module, imports, json),
    ],
  });
  refuseOtherCode(file, module);
  return file.getFullText();
}

/** The last defence against a schema that found a way to put code into its module: nothing but declarations may stand there. */
function refuseOtherCode(file: SourceFile, module: PlannedModule): void {
  const declarations = /^(Import|Export|Interface|Function)Declaration$|^VariableStatement$/;
  const other = file.getStatements().find((statement) => !declarations.test(statement.getKindName()));
  if (other !== undefined) throw new Error(`The module ${module.path} would hold ${other.getKindName()}: ${other.getText().slice(0, 80)}`);
}

// No module's alias ends so: its path holds no `$`.
function tableAlias(alias: string): string {
  return `${alias}$table`;
}

function tableStatement(module: PlannedModule, imports: readonly { readonly alias: string }[], json: string): string {
  return [
    '',
    'export const $table: $.Table = {',
    `  module: ${JSON.stringify(module.path)},`,
    `  imports: () => [${imports.map(({ alias }) => tableAlias(alias)).join(', ')}],`,
    // In a getter the text is part of the source only, until somebody asks for it.
    `  get json() { return ${templateLiteral(json)}; },`,
    '};',
  ].join('\n');
}
