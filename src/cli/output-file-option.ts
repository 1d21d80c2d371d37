import { InvalidArgumentError, Option } from 'commander';

/** A file that a command writes in a format. */
export interface OutputFile<Format extends string = string> {
  readonly format: Format;
  readonly file: string;
}

/** The value of `--output-file`. */
export interface OutputFileFlag {
  readonly outputFile?: readonly OutputFile[];
}

/**
 * Returns `--output-file`, which may be repeated.
 *
 * @param formats the formats of its files, in the order of the help.
 * @param printed those among them that `-o` prints on standard output; of each other format, a command writes one file.
 */
export function outputFileOption(help: string, formats: readonly string[], printed: readonly string[] = []): Option {
  const option = new Option('--output-file <format=file>', help).choices(formats);
  return option.argParser((text: string, before: readonly OutputFile[] = []) => [
    ...before,
    readOutputFile(text, formats, printed, before),
  ]);
}

/** Returns the file of a format of which a command writes one. */
export function outputFileOf({ outputFile = [] }: OutputFileFlag, wanted: string): string | undefined {
  return outputFile.find(({ format }) => format === wanted)?.file;
}

function readOutputFile(text: string, formats: readonly string[], printed: readonly string[], before: readonly OutputFile[]): OutputFile {
  const at = text.indexOf('=');
  const format = formats.find((name) => name === text.slice(0, at));
  const file = text.slice(at + 1);
  if (at < 0 || format === undefined) {
    throw new InvalidArgumentError(`Expected FORMAT=FILE, with a format of ${formats.join(', ')}; such as ${exampleOf(formats[0] ?? '')}.`);
  }
  if (file === '') throw new InvalidArgumentError(`It names no file: pass one, such as ${exampleOf(format)}.`);
  const isPrinted = printed.includes(format);
  if (file === '-' && isPrinted) throw new InvalidArgumentError(`A format is printed on standard output by -o ${format}.`);
  if (!isPrinted && before.some((other) => other.format === format)) {
    throw new InvalidArgumentError(`One file of the format ${format} is written: leave out the others.`);
  }
  return { format, file };
}

const examples: Readonly<Record<string, string>> = {
  text: 'plan.txt',
  markdown: 'plan.md',
  json: 'plan.jsonl',
  junit: 'plan.xml',
  sarif: 'plan.sarif',
  html: 'page.html',
  yaml: 'guard.yaml',
  dotenv: 'plan.env',
};

function exampleOf(format: string): string {
  return `${format}=${examples[format] ?? `${format}.json`}`;
}
