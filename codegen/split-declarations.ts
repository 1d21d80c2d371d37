import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';

/**
 * A step of the build. Where other modules of the built-in API use a part of a large one, such as the pod templates of `core/v1`, that part
 * becomes a declaration file of its own, so that the compiler of a program with a Deployment does not read Nodes and persistent volumes
 * (docs/decisions/09). Every module exports the same names as before.
 */

/** A part, or a rest, of fewer characters is not worth a file. */
const worthwhile = 50_000;

const sources = 'generated';
const modules = 'lib/generated';

/** Outside of what package.json exports: no module stands behind these declarations. */
const parts = 'lib/declarations';

interface Declarations {
  /** The file below `generated`, `lib/generated` and `lib/declarations`, such as `core/v1.d.ts`. */
  readonly file: string;
  /** Imports, and exports from other modules. */
  readonly links: readonly Link[];
  /** Declarations by name: interfaces, types, functions and the table. */
  readonly byName: ReadonlyMap<string, ts.Statement>;
}

type Link = (ts.ImportDeclaration | ts.ExportDeclaration) & { readonly moduleSpecifier: ts.StringLiteral };

/** The declarations of a module that move to its part. */
interface Part {
  readonly names: ReadonlySet<string>;
  /** The modules that need nothing else of the module. */
  readonly users: ReadonlySet<string>;
}

/** Writes the declaration files of all modules of the built-in API. */
export async function splitDeclarations(): Promise<void> {
  const names = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
  const all = await Promise.all(names.map(async (name) => declarationsOf(name, await readFile(path.join(sources, name), 'utf8'))));
  const moves = new Map(all.map((one) => [one.file, partOf(one, all)]));
  await rm(parts, { recursive: true, force: true });
  for (const one of all) {
    const part = moves.get(one.file)?.names ?? new Set();
    const moved = [...one.byName].filter(([name]) => part.has(name));
    const kept = [...one.byName].filter(([name]) => !part.has(name));
    if (part.size > 0) await write(parts, one, textsOf(one.links.filter(ts.isImportDeclaration), parts, one, moves), moved);
    await write(modules, one, [...textsOf(one.links, modules, one, moves), ...linksToPart(one, part, kept)], kept);
  }
}

function declarationsOf(name: string, text: string): Declarations {
  const { outputText } = ts.transpileDeclaration(text, {
    fileName: name,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
  });
  const { statements } = ts.createSourceFile(name, outputText, ts.ScriptTarget.ES2022, true);
  return {
    file: name.replace(/\.ts$/, '.d.ts'),
    links: statements.filter(isLink),
    byName: new Map(statements.flatMap((one) => (isLink(one) ? [] : [[declaredName(one), one] as const]))),
  };
}

function isLink(statement: ts.Statement): statement is Link {
  return ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
}

function declaredName(statement: ts.Statement): string {
  const name = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations[0]?.name
    : (statement as ts.DeclarationStatement).name;
  if (name === undefined || !ts.isIdentifier(name))
    throw new Error(`a statement of the built-in API declares no name: ${statement.getText().slice(0, 80)}`);
  return name.text;
}

/** Returns the names of a module that another one uses, as types or to export them again. */
function namesUsed({ links, byName, file }: Declarations, of: string): Set<string> {
  const used = new Set<string>();
  const namespaces = new Set<string>();
  for (const link of links.filter((one) => targetOf(one, file) === of)) {
    const bindings = ts.isImportDeclaration(link) ? link.importClause?.namedBindings : link.exportClause;
    if (bindings === undefined) throw new Error(`${file} exports all of ${of}`);
    if (ts.isNamespaceImport(bindings)) namespaces.add(bindings.name.text);
    else if (ts.isNamedExports(bindings)) for (const { name } of bindings.elements) used.add(name.text);
  }
  if (namespaces.size === 0) return used;
  for (const name of [...byName.values()].flatMap(typeNames)) {
    if (ts.isQualifiedName(name) && ts.isIdentifier(name.left) && namespaces.has(name.left.text)) used.add(name.right.text);
  }
  return used;
}

function targetOf(link: Link, file: string): string {
  return path.join(path.dirname(file), link.moduleSpecifier.text).replace(/\.js$/, '.d.ts');
}

/** Returns the names of types in a statement, such as `PodSpecInput` and `$meta_v1.ObjectMetaInput`. */
function typeNames(statement: ts.Node): ts.EntityName[] {
  const names: ts.EntityName[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node)) names.push(node.typeName);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return names;
}

/**
 * Returns what two modules use, and what else one of them uses if it is little: the claims of a StatefulSet, but not persistent volumes.
 */
function partOf(module: Declarations, all: readonly Declarations[]): Part {
  const needs = all
    .map((user) => [user.file, reachable(module, namesUsed(user, module.file))] as const)
    .filter(([, names]) => names.size > 0);
  const names = new Set([...module.byName.keys()].filter((name) => needs.filter(([, needed]) => needed.has(name)).length > 1));
  for (const [, needed] of needs) {
    const added = [...needed].filter((name) => !names.has(name));
    if (size(module, added) < size(module, names) / 10) for (const name of added) names.add(name);
  }
  const users = new Set(needs.flatMap(([user, needed]) => ([...needed].every((name) => names.has(name)) ? [user] : [])));
  const rest = [...module.byName.keys()].filter((name) => !names.has(name));
  const split = size(module, names) >= worthwhile && size(module, rest) >= worthwhile;
  return split ? { names, users } : { names: new Set(), users: new Set() };
}

function reachable({ byName }: Declarations, used: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...used];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const statement = byName.get(name);
    if (statement === undefined || found.has(name)) continue;
    found.add(name);
    open.push(...localNames(statement));
  }
  return found;
}

function size({ byName }: Declarations, names: Iterable<string>): number {
  let sum = 0;
  for (const name of names) sum += byName.get(name)?.getFullText().length ?? 0;
  return sum;
}

function localNames(statement: ts.Statement): string[] {
  return typeNames(statement).flatMap((name) => (ts.isIdentifier(name) ? [name.text] : []));
}

/** Returns the texts of imports and exports for a file below a directory: they lead to a part that holds all that the module needs. */
function textsOf(links: readonly Link[], directory: string, { file }: Declarations, moves: ReadonlyMap<string, Part>): string[] {
  return links.map((link) => {
    const target = targetOf(link, file);
    const found = path.join(moves.get(target)?.users.has(file) ? parts : modules, target);
    const text = link.getText();
    const start = link.moduleSpecifier.getStart() - link.getStart();
    return `${text.slice(0, start)}'${specifier(path.join(directory, file), found)}'${text.slice(start + link.moduleSpecifier.getText().length)}`;
  });
}

function linksToPart({ file }: Declarations, part: ReadonlySet<string>, kept: readonly (readonly [string, ts.Statement])[]): string[] {
  if (part.size === 0) return [];
  const from = specifier(path.join(modules, file), path.join(parts, file));
  const names = new Set(kept.flatMap(([, statement]) => localNames(statement)).filter((name) => part.has(name)));
  return [`import type { ${[...names].sort().join(', ')} } from '${from}';`, `export * from '${from}';`];
}

/** Returns what a declaration file imports another by. */
function specifier(from: string, to: string): string {
  const relative = path.posix.relative(path.posix.dirname(from), to).replace(/\.d\.ts$/, '.js');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

async function write(
  directory: string,
  { file }: Declarations,
  links: readonly string[],
  declarations: readonly (readonly [string, ts.Statement])[],
): Promise<void> {
  const target = path.join(directory, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, `${[...links, ''].join('\n')}${declarations.map(([, statement]) => statement.getFullText()).join('')}\n`);
}
