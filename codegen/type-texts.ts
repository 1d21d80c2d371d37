import { createRequire } from 'node:module';
import type { ts as TypeScript } from 'ts-morph';
import { ownModule } from '../src/util/own-module.js';
import type { JsonSchema } from './shape-schema.js';

/**
 * Writes types with json-schema-to-typescript, each distinct one once, and returns a function that gives the TypeScript of a schema: with
 * `readonly` lists and maps. json-schema-to-typescript changes the case of some names (`K8sThing`), so that names pass only as `tsType`.
 */
export async function typeTexts(schemas: readonly JsonSchema[]): Promise<(schema: JsonSchema) => string> {
  const texts = new Map<string, string>();
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const properties: Record<string, JsonSchema> = {};
  const keys: string[] = [];
  for (const [key, schema] of distinct) {
    // A name needs no writer.
    if (typeof schema.tsType === 'string') texts.set(key, schema.tsType);
    else properties[`t${keys.push(key) - 1}`] = schema;
  }
  const { compile } = await import('json-schema-to-typescript');
  const { ts } = loadTsMorph();
  const root = { title: 'Types', type: 'object', additionalProperties: false, properties };
  const text = await compile(root as Parameters<typeof compile>[0], 'Types', {
    additionalProperties: false,
    bannerComment: '',
    format: false,
    unknownAny: true,
  });
  const file = ts.createSourceFile('types.ts', text, ts.ScriptTarget.ES2022, true);
  const print = printer(ts, file);
  for (const statement of file.statements) {
    if (!ts.isInterfaceDeclaration(statement)) continue;
    for (const member of statement.members) {
      if (!ts.isPropertySignature(member) || member.type === undefined) continue;
      texts.set(keys[Number(member.name.getText(file).slice(1))] as string, print(member.type));
    }
  }
  return (schema) => texts.get(JSON.stringify(schema)) ?? 'unknown';
}

function printer(ts: typeof TypeScript, file: TypeScript.SourceFile) {
  const print = (node: TypeScript.TypeNode): string => {
    if (ts.isParenthesizedTypeNode(node)) return print(node.type);
    if (ts.isUnionTypeNode(node)) return node.types.map((type) => wrapped(type, ts.isIntersectionTypeNode)).join(' | ');
    if (ts.isArrayTypeNode(node)) {
      return `readonly ${wrapped(node.elementType, (inner) => ts.isUnionTypeNode(inner) || ts.isIntersectionTypeNode(inner) || ts.isArrayTypeNode(inner))}[]`;
    }
    if (ts.isTypeLiteralNode(node)) return printLiteral(node);
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
  return createRequire(ownModule)('ts-morph');
}
