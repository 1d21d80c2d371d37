import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { FieldwiseError } from '../util/error.js';
import { type OutputFile, outputFileOf, outputFileOption } from './output-file-option.js';
import { outputOption } from './output-option.js';

/** The formats of a plan and of the record of a deploy. */
export const outputFormats = ['text', 'markdown', 'json', 'junit', 'sarif'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** The flags of commands that print in several formats. */
export interface FormatFlags {
  /** The format of standard output. */
  readonly output?: OutputFormat;
  readonly json?: boolean;
  readonly outputFile?: readonly OutputFile<OutputFormat>[];
  readonly all?: boolean;
  /** The files of `--output-file` in other formats. */
  readonly planFile?: string;
  readonly report?: string;
  readonly html?: string;
}

/**
 * Adds `-o` and `--output-file`.
 *
 * @param what the printed thing, such as `plan`.
 * @param others the formats of files that `-o` does not print, with their meaning.
 */
export function addFormatFlags(
  command: Command,
  what: string,
  others: { readonly formats: readonly string[]; readonly help: string },
): Command {
  return command
    .addOption(
      outputOption(`print the ${what} in this format on standard output; json is one object per line (default: text)`, outputFormats),
    )
    .addOption(
      outputFileOption(
        `also write the ${what} to a file in a format, such as markdown=plan.md; ${others.help}; repeatable`,
        [...outputFormats, ...others.formats],
        outputFormats,
      ),
    );
}

/**
 * Returns the flags with `json` where `-o json` says so, and with the files of each format.
 *
 * @throws FieldwiseError `flag-invalid` if two of them name the same file.
 */
export function withFormat<Flags extends FormatFlags>(flags: Flags, cwd: string): Flags {
  const files: readonly OutputFile[] = flags.outputFile ?? [];
  const written = new Set<string>();
  for (const { file } of files) {
    const target = targetOf(path.resolve(cwd, file));
    if (written.has(target)) {
      throw new FieldwiseError('flag-invalid', 'usage', `Two flags name the same file, ${file}`, { next: 'Pass a file for each of them.' });
    }
    written.add(target);
  }
  const one = (format: string, member: 'planFile' | 'report' | 'html') => {
    const file = outputFileOf({ outputFile: files }, format);
    return file === undefined ? {} : { [member]: file };
  };
  return {
    ...flags,
    ...(flags.output === 'json' ? { json: true } : {}),
    ...one('plan', 'planFile'),
    ...one('report', 'report'),
    ...one('html', 'html'),
    outputFile: files.filter(({ format }) => (outputFormats as readonly string[]).includes(format)),
  };
}

/** Returns the file behind links. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // it does not exist
  }
}
