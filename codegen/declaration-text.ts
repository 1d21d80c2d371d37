/** Declarations of a generated module as text. Names and types are given as TypeScript; doc comments as plain text. */

/** A member of an interface. */
export interface MemberText {
  readonly docs: readonly string[];
  /** Such as `readonly image?: string | undefined`. */
  readonly text: string;
}

/** Writes `export interface NAME extends … { … }`. */
export function interfaceText(
  name: string,
  members: readonly MemberText[],
  options: { readonly docs?: readonly string[]; readonly bases?: readonly string[] } = {},
): string {
  const { docs = [], bases = [] } = options;
  const heritage = bases.length === 0 ? '' : ` extends ${bases.join(', ')}`;
  const lines = members.map((member) => `${commentText(member.docs, '  ')}  ${member.text};\n`);
  return `${commentText(docs, '')}export interface ${name}${heritage} {\n${lines.join('')}}\n`;
}

/** Writes `export type NAME = …`. */
export function aliasText(name: string, type: string): string {
  return `export type ${name} = ${type};\n`;
}

/** A function with one `return`. */
export interface FunctionText {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly optional?: boolean }[];
  readonly returnType: string;
  readonly result: string;
}

/** Writes `export function NAME(…): … { return …; }`. */
export function functionText({ name, parameters, returnType, result }: FunctionText, docs: readonly string[]): string {
  const list = parameters.map((parameter) => `${parameter.name}${parameter.optional === true ? '?' : ''}: ${parameter.type}`).join(', ');
  return `${commentText(docs, '')}export function ${name}(${list}): ${returnType} {\n  return ${result};\n}\n`;
}

/** Writes a doc comment above a declaration; the text must not contain the end of a comment. */
function commentText(docs: readonly string[], indentation: string): string {
  return docs
    .map((text) => {
      if (!text.includes('\n')) return `${indentation}/** ${text} */\n`;
      const lines = text.split('\n').map((line) => (line === '' ? `${indentation} *` : `${indentation} * ${line}`));
      return `${indentation}/**\n${lines.join('\n')}\n${indentation} */\n`;
    })
    .join('');
}
