import { createRequire } from 'node:module';
import type { ts as TypeScript } from 'ts-morph';
import type { JsonSchema } from './shape-schema.js';

/** The TypeScript of the members of literal shapes, by shape and then by requested member name. */
export type ShapeTexts = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Writes the shapes with json-schema-to-typescript, then reads each member's type from its output: with `readonly` lists and maps, and with
 * placeholders replaced by names. json-schema-to-typescript changes the case of some names (`K8sThing`), so that generated names must not
 * pass through it.
 */
export async function emitShapes(
  definitions: ReadonlyMap<string, JsonSchema>,
  nameOf: (placeholder: string) => string,
): Promise<ShapeTexts> {
  const { compile } = await import('json-schema-to-typescript');
  const { ts } = loadTsMorph();
  const root = { title: 'Shapes', type: 'object', additionalProperties: false, $defs: Object.fromEntries(definitions) };
  const text = await compile(root as Parameters<typeof compile>[0], 'Shapes', {
    additionalProperties: false,
    bannerComment: '',
    format: false,
    unknownAny: true,
    unreachableDefinitions: true,
  });
  const file = ts.createSourceFile('shapes.ts', text, ts.ScriptTarget.ES2022, true);
  const print = printer(ts, file, nameOf);
  const shapes = new Map<string, ReadonlyMap<string, string>>();
  for (const statement of file.statements) {
    if (!ts.isInterfaceDeclaration(statement)) continue;
    const members = new Map<string, string>();
    for (const member of statement.members) {
      if (!ts.isPropertySignature(member) || member.type === undefined) continue;
      const name = ts.isIdentifier(member.name) || ts.isStringLiteral(member.name) ? member.name.text : member.name.getText(file);
      members.set(name, print(member.type));
    }
    shapes.set(statement.name.text, members);
  }
  for (const name of definitions.keys()) if (!shapes.has(name)) throw new Error(`json-schema-to-typescript wrote no shape ${name}.`);
  return shapes;
}

function printer(ts: typeof TypeScript, file: TypeScript.SourceFile, nameOf: (placeholder: string) => string) {
  const print = (node: TypeScript.TypeNode): string => {
    if (ts.isParenthesizedTypeNode(node)) return print(node.type);
    if (ts.isUnionTypeNode(node)) return node.types.map((type) => wrapped(type, ts.isIntersectionTypeNode)).join(' | ');
    if (ts.isArrayTypeNode(node)) {
      return `readonly ${wrapped(node.elementType, (inner) => ts.isUnionTypeNode(inner) || ts.isIntersectionTypeNode(inner) || ts.isArrayTypeNode(inner))}[]`;
    }
    if (ts.isTypeLiteralNode(node)) return printLiteral(node);
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) && /^T\d+$/.test(node.typeName.text))
      return nameOf(node.typeName.text);
    return node.getText(file);
  };
  const bare = (node: TypeScript.TypeNode): TypeScript.TypeNode => (ts.isParenthesizedTypeNode(node) ? bare(node.type) : node);
  const wrapped = (node: TypeScript.TypeNode, needs: (inner: TypeScript.TypeNode) => boolean) =>
    needs(bare(node)) ? `(${print(node)})` : print(node);
  const printLiteral = (node: TypeScript.TypeLiteralNode) => {
    const members = node.members.map((member) => {
      if (ts.isIndexSignatureDeclaration(member)) return `readonly [name: string]: ${print(member.type)}`;
      throw new Error(`json-schema-to-typescript wrote an unexpected member: ${member.getText(file)}`);
    });
    return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
  };
  return print;
}

/**
 * Returns ts-morph, loaded on first use: only `import` needs it. It uses `require`, because `import` would first scan nine megabytes of
 * CommonJS for exported names.
 */
export function loadTsMorph(): typeof import('ts-morph') {
  return createRequire(import.meta.url)('ts-morph');
}
