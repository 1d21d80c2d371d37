import { parseArgs } from 'node:util';

/** The flags of the bench. */
export interface BenchOptions {
  /** Rows that are measured (default: all). */
  readonly rows: readonly string[];
  readonly objects?: number;
  readonly rounds?: number;
  /** Measure beside processes that spin. */
  readonly load: boolean;
  /** Print tables for docs/performance.md. */
  readonly markdown: boolean;
}

export type OptionName = keyof BenchOptions;

/** Reads groups and flags. @throws Error where one of them is unknown or not a number. */
export function readArguments(words: readonly string[]): { readonly groups: readonly string[]; readonly options: BenchOptions } {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      row: { type: 'string', multiple: true, default: [] },
      objects: { type: 'string' },
      rounds: { type: 'string' },
      load: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
    },
  });
  const { row, objects, rounds, load, markdown } = values;
  const count = (flag: string, text: string | undefined) => {
    if (text !== undefined && !/^[1-9]\d{0,5}$/.test(text)) throw new Error(`--${flag}: expected a number from 1 to 999999, not ${text}`);
    return text === undefined ? {} : { [flag]: Number(text) };
  };
  return { groups: positionals, options: { rows: row, ...count('objects', objects), ...count('rounds', rounds), load, markdown } };
}
