import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { sourceFiles } from './imports.js';

/**
 * The rooms of `src` that run in a simulator, which owns all of time and chance: they take clocks, timers, random numbers and the name of
 * the process from a `Machine` that is handed in.
 */
export const simulatedRooms: readonly string[] = [
  ...['engine', 'deploy', 'plan', 'inspect', 'kubernetes', 'rules'],
  ...['fields', 'schema', 'merge', 'ownership', 'apiserver'],
];

/** The files in which a client or server that names no machine gets this one. */
const defaults: readonly string[] = [
  'src/kubernetes/create-cluster-client.ts',
  'src/kubernetes/kubeconfig/connect.ts',
  'src/kubernetes/transport/transport.ts',
  'src/apiserver/api-server.ts',
  'src/apiserver/controllers/simulated/simulated-kubelet.ts',
];

/**
 * The file of the client for exec plugins, and those of the embedded server for sockets, threads, data directories and signatures: a simulator
 * uses none of them.
 */
const ofThisMachine: readonly string[] = [
  ...['embedded-api-server', 'identity', 'aside/large-requests', 'aside/request-worker', 'webhooks/post-review'],
  ...['registry/signing-key', 'authentication/service-account-token'],
  ...['body-reader', 'body-worker', 'certificate', 'http-server', 'turns', 'watch-socket'].map((name) => `http/${name}`),
  ...['change-log', 'directory-lock', 'durable-file', 'migrate', 'record', 'recover', 'segment', 'snapshot'].map(
    (name) => `storage/${name}`,
  ),
]
  .map((name) => `src/apiserver/${name}.ts`)
  .concat('src/kubernetes/kubeconfig/exec-plugin.ts');

/** Globals that are refused wherever they stand, and those of which some members are allowed. */
const globals: ReadonlyMap<string, readonly string[]> = new Map([
  ...['setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto', 'fetch', 'globalThis', 'global', 'Atomics'].map(
    (name): [string, readonly string[]] => [name, []],
  ),
  ['Date', ['parse', 'UTC']],
  ['Math', Object.getOwnPropertyNames(Math).filter((name) => name !== 'random')],
  ['AbortSignal', ['abort', 'any']],
  ['process', ['env', 'cwd', 'memoryUsage']],
]);

/** Modules that are refused whole, and those of which some exports are allowed. */
const modules: ReadonlyMap<string, (name: string) => boolean> = new Map([
  ...['timers', 'timers/promises', 'perf_hooks', 'worker_threads', 'child_process', 'fs/promises', 'os', 'stream', 'stream/promises'].map(
    (name): [string, (name: string) => boolean] => [name, () => false],
  ),
  ['crypto', (name) => /^(create(Hash|Hmac|PrivateKey|PublicKey)|timingSafeEqual|X509Certificate)$/.test(name)],
  ['zlib', (name) => name.endsWith('Sync')],
  ['fs', (name) => name.endsWith('Sync')],
]);

/** Names every use of a clock, a timer or a random number, and of work of the runtime that nobody else can wait for, with file and line. */
export function unownedUses(root: string): string[] {
  return simulatedRooms
    .flatMap((room) => sourceFiles(root, `src/${room}`))
    .flatMap((path) => {
      const uses = unownedUsesIn(path, readFileSync(join(root, path), 'utf8'));
      if (!ofThisMachine.includes(path)) return uses;
      return uses.length > 0 ? [] : [`${path} uses nothing of this machine: take it from the exceptions of test/checks/machine.ts`];
    });
}

/** The same of one file. */
export function unownedUsesIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    for (const use of usesOf(node, path)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push(`${path}:${line} uses ${use}: take it from the machine of the cluster client (src/util/machine.ts)`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function usesOf(node: ts.Node, path: string): string[] {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return importedUses(node, path);
  if (ts.isCallExpression(node)) return loadedUses(node);
  if (!ts.isIdentifier(node) || isName(node)) return [];
  const allowed = globals.get(node.text);
  return allowed === undefined || isAllowed(node, allowed) ? [] : [textOf(node)];
}

/** Returns true for an identifier that is a name here and reads nothing. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return false;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return true;
  if (ts.isBindingElement(parent)) return parent.initializer !== node;
  return 'name' in parent && parent.name === node;
}

function isAllowed(node: ts.Identifier, members: readonly string[]): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return members.includes(parent.name.text);
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) return true;
  return node.text === 'Date' && ts.isNewExpression(parent) && (parent.arguments?.length ?? 0) > 0;
}

function textOf(node: ts.Identifier): string {
  const { parent } = node;
  if (ts.isNewExpression(parent) && node.text === 'Date') return 'new Date()';
  return ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent) ? parent.getText() : node.text;
}

/** Returns what an import takes, and an export passes on, of a module that is not allowed whole. */
function importedUses(node: ts.ImportDeclaration | ts.ExportDeclaration, path: string): string[] {
  if (node.moduleSpecifier === undefined || !ts.isStringLiteral(node.moduleSpecifier)) return [];
  const clause = ts.isImportDeclaration(node) ? node.importClause : undefined;
  if (ts.isImportDeclaration(node) ? clause?.phaseModifier === ts.SyntaxKind.TypeKeyword : node.isTypeOnly) return [];
  const { text: specifier } = node.moduleSpecifier;
  const elements = namedElements(ts.isImportDeclaration(node) ? clause?.namedBindings : node.exportClause);
  if (specifier.endsWith('/util/machine.js'))
    return !defaults.includes(path) && elements?.some(({ propertyName, name }) => (propertyName ?? name).text === 'thisMachine')
      ? ['thisMachine']
      : [];
  const allows = modules.get(specifier.replace(/^node:/, ''));
  if (allows === undefined) return [];
  if (elements === undefined || (clause !== undefined && clause.name !== undefined)) return [`${specifier} as a whole`];
  return elements
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ propertyName, name }) => (propertyName ?? name).text)
    .filter((name) => !allows(name))
    .map((name) => `${name} of ${specifier}`);
}

/** Undefined where a module is taken as a whole. */
function namedElements(
  bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined,
): readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] | undefined {
  return bindings !== undefined && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings)) ? [...bindings.elements] : undefined;
}

/** Returns what a call loads: a module that is not allowed whole. */
function loadedUses({ expression, arguments: [first] }: ts.CallExpression): string[] {
  const loads = expression.kind === ts.SyntaxKind.ImportKeyword || /(^|\.)(require|getBuiltinModule)$/.test(expression.getText());
  if (!loads || first === undefined || !ts.isStringLiteralLike(first)) return [];
  return modules.has(first.text.replace(/^node:/, '')) ? [`${first.text} as a whole`] : [];
}
