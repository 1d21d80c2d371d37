import type { Token } from './tokenize.js';

/** The type of a token by which the grammar knows it: a symbol or keyword as it is written, or a class of tokens. */
export type TokenType = string;

/** The end of an expression. */
export const end: TokenType = '<EOF>';

const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);
const classes: Readonly<Record<string, TokenType>> = {
  identifier: 'IDENTIFIER',
  escaped: 'ESC_IDENTIFIER',
  int: 'NUM_INT',
  uint: 'NUM_UINT',
  double: 'NUM_FLOAT',
  string: 'STRING',
  bytes: 'BYTES',
  end,
};

export function typeOfToken({ kind, text }: Token): TokenType {
  return kind === 'symbol' || (kind === 'identifier' && keywords.has(text)) ? text : (classes[kind] as TokenType);
}

const classNames = ['NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER', 'ESC_IDENTIFIER'];
/** The order in which messages name what is expected. Source: observed. */
const order: readonly TokenType[] = [
  end,
  ...'== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null'.split(' '),
  ...classNames,
];

/** Returns what is expected as messages show it. */
export function showTypes(types: ReadonlySet<TokenType>): string {
  const shown = order.filter((type) => types.has(type)).map((type) => (type === end || classNames.includes(type) ? type : `'${type}'`));
  return shown.length === 1 ? (shown[0] as string) : `{${shown.join(', ')}}`;
}
