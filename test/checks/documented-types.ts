import { join } from 'node:path';
import ts from 'typescript';

/** A value of a union or a member of an interface, with its JSDoc. */
export interface Documented {
  readonly name: string;
  /** The text in one line; empty without JSDoc. */
  readonly text: string;
  /** The text of the tag `@default`. */
  readonly default?: string;
  /** The text of the tag `@example`. */
  readonly example?: string;
  /** The string literals that a member may have as its value. */
  readonly values: readonly string[];
}

/** Reads types and their JSDoc from sources. */
export class DocumentedTypes {
  readonly #root: string;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  /** @param files paths of the sources, relative to the root. */
  constructor(root: string, files: readonly string[]) {
    this.#root = root;
    this.#program = ts.createProgram(
      files.map((file) => join(root, file)),
      { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true, skipLibCheck: true, noEmit: true, types: ['node'] },
    );
    this.#checker = this.#program.getTypeChecker();
  }

  /** Returns the values of a type alias: a union of strings, `Extract` with such a union, or the elements of a constant list. */
  values(file: string, name: string): Documented[] {
    return this.#literals(this.#alias(file, name).type).map(({ node, from }) => {
      const comment = node.getSourceFile().text.slice(from, node.getStart());
      const [, jsDoc = ''] = /\/\*\*([\s\S]*?)\*\/(?![\s\S]*\/\*\*)/.exec(comment) ?? [];
      return { name: node.text, text: oneLine(jsDoc.replaceAll(/^\s*\* ?/gm, '')), values: [] };
    });
  }

  /** Returns the members of an interface or object type, inherited ones included. */
  members(file: string, name: string): Documented[] {
    return this.#membersOf(this.#checker.getDeclaredTypeOfSymbol(this.#symbol(file, name)));
  }

  /** Returns the types of a union of interfaces, each with its JSDoc and members. */
  union(file: string, name: string): { readonly text: string; readonly members: readonly Documented[] }[] {
    const { type } = this.#alias(file, name);
    if (!ts.isUnionTypeNode(type)) throw new Error(`${name} of ${file} is not a union`);
    return type.types.map((node) => {
      const one = this.#checker.getTypeFromTypeNode(node);
      return { text: oneLine(ts.displayPartsToString(one.symbol.getDocumentationComment(this.#checker))), members: this.#membersOf(one) };
    });
  }

  #membersOf(type: ts.Type): Documented[] {
    return this.#checker.getPropertiesOfType(type).map((member) => {
      const tags = new Map(member.getJsDocTags(this.#checker).map((tag) => [tag.name, oneLine(ts.displayPartsToString(tag.text))]));
      const [byDefault, example] = [tags.get('default'), tags.get('example')];
      return {
        name: member.name,
        text: oneLine(ts.displayPartsToString(member.getDocumentationComment(this.#checker))),
        values: literalsOfType(this.#checker.getTypeOfSymbol(member)),
        ...(byDefault === undefined ? {} : { default: byDefault }),
        ...(example === undefined ? {} : { example }),
      };
    });
  }

  /** The literals with the position where their comments begin. */
  #literals(node: ts.TypeNode): { readonly node: ts.StringLiteral; readonly from: number }[] {
    if (ts.isUnionTypeNode(node)) return literalsOf(node.types, node.pos);
    if (ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Extract')
      return this.#literals(node.typeArguments?.[1] as ts.TypeNode);
    if (ts.isIndexedAccessTypeNode(node)) {
      const query = ts.isParenthesizedTypeNode(node.objectType) ? node.objectType.type : node.objectType;
      const symbol = ts.isTypeQueryNode(query) ? this.#checker.getSymbolAtLocation(query.exprName) : undefined;
      const declaration = symbol?.valueDeclaration;
      const list = declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
      const elements = list && ts.isAsExpression(list) ? list.expression : undefined;
      if (elements && ts.isArrayLiteralExpression(elements)) return literalsOf(elements.elements, elements.elements.pos);
    }
    throw new Error(`${node.getText()} is not a union of strings`);
  }

  #alias(file: string, name: string): ts.TypeAliasDeclaration {
    const declaration = this.#symbol(file, name).declarations?.find(ts.isTypeAliasDeclaration);
    if (!declaration) throw new Error(`${name} of ${file} is not a type alias`);
    return declaration;
  }

  #symbol(file: string, name: string): ts.Symbol {
    const source = this.#program.getSourceFile(join(this.#root, file));
    const module = source && this.#checker.getSymbolAtLocation(source);
    const symbol = module && this.#checker.getExportsOfModule(module).find((one) => one.name === name);
    if (!symbol) throw new Error(`${file} does not export ${name}`);
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }
}

function literalsOf(nodes: readonly ts.Node[], start: number): { readonly node: ts.StringLiteral; readonly from: number }[] {
  return nodes.map((node, index) => {
    const literal = ts.isLiteralTypeNode(node) ? node.literal : node;
    if (!ts.isStringLiteral(literal)) throw new Error(`${node.getText()} is not a string`);
    return { node: literal, from: nodes[index - 1]?.end ?? start };
  });
}

function literalsOfType(type: ts.Type): string[] {
  const types = type.isUnion() ? type.types : [type];
  return types.flatMap((one) => (one.isStringLiteral() ? [one.value] : []));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
