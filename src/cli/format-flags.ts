import { realpathSync } from 'node:fs';
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { FieldwiseError } from '../util/error.js';
import { outputOption } from './output-option.js';

/** The formats of a plan and of the record of a deploy. */
export const outputFormats = ['text', 'markdown', 'json', 'junit', 'sarif'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** A file that a command writes in a format. */
export interface OutputFile {
  readonly format: OutputFormat;
  readonly file: string;
}

/** The flags of commands that print in several formats. */
export interface FormatFlags {
  /** The format of standard output. */
  readonly output?: OutputFormat;
  readonly json?: boolean;
  readonly outputFile?: readonly OutputFile[];
  readonly all?: boolean;
  /** Other files that the command writes. */
  readonly out?: string;
  readonly report?: string;
  readonly html?: string;
}

/**
 * Adds `-o` and `--output-file`.
 *
 * @param what the printed thing, such as `plan`.
 */
export function addFormatFlags(command: Command, what: string): Command {
  return command
    .addOption(
      outputOption(`print the ${what} in this format on standard output; json is one object per line (default: text)`, outputFormats),
    )
    .option(
      '--output-file <format=file>',
      `also write the ${what} to a file in one of these formats, such as markdown=plan.md; repeatable`,
      (text: string, before: readonly OutputFile[] = []) => [...before, readOutputFile(text)],
    );
}

/**
 * Returns the flags with `json` where `-o json` says so.
 *
 * @throws FieldwiseError `flag-invalid` if two of them name the same file.
 */
export function withFormat<Flags extends FormatFlags>(flags: Flags, cwd: string): Flags {
  const { output, outputFile = [] } = flags;
  const written = new Map<string, string>();
  for (const file of [flags.out, flags.report, flags.html, ...outputFile.map((each) => each.file)]) {
    if (file === undefined) continue;
    const target = targetOf(path.resolve(cwd, file));
    if (written.has(target)) {
      throw new FieldwiseError('flag-invalid', 'usage', `Two flags name the same file, ${file}`, { next: 'Pass a file for each of them.' });
    }
    written.set(target, file);
  }
  return output === 'json' ? { ...flags, json: true } : flags;
}

/** Returns the file behind links. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // it does not exist
  }
}

function readOutputFile(text: string): OutputFile {
  const at = text.indexOf('=');
  const format = outputFormats.find((name) => name === text.slice(0, at));
  const file = text.slice(at + 1);
  if (at < 0 || format === undefined) {
    throw new InvalidArgumentError(`Expected FORMAT=FILE, with a format of ${outputFormats.join(', ')}; such as markdown=plan.md.`);
  }
  if (file === '') throw new InvalidArgumentError(`It names no file: pass one, such as ${format}=plan.txt.`);
  if (file === '-') throw new InvalidArgumentError(`A format is printed on standard output by -o ${format}.`);
  return { format, file };
}
