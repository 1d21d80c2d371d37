/**
 * A value that a program reads from outside, and that Fieldwise hands to it: a context value, or a reference to an environment variable or a
 * file. A variable that a program reads by itself, from `process.env`, is not among them.
 */
export interface ProgramInput {
  readonly from: 'context' | 'env' | 'file';
  /** The key of the context value, the name of the variable, or the path of the file. */
  readonly name: string;
  /** `context` only: the value, where it also stands in a declared object other than a Secret. */
  readonly value?: string;
}

/** Returns a text that is equal for inputs of the same name and source. */
export function inputKey({ from, name }: ProgramInput): string {
  return `${from} ${name}`;
}

/** Reads the text of `inputKey`; undefined for any other text. */
export function parseInputKey(text: string): ProgramInput | undefined {
  const [, from, name] = /^(context|env|file) (.+)$/s.exec(text) ?? [];
  return name === undefined ? undefined : { from: from as ProgramInput['from'], name };
}
