import { InvalidArgumentError, Option } from 'commander';

/** Returns `-o`, which names the format of standard output; its value is the member `output` of the flags. */
export function outputOption(help: string, formats: readonly string[]): Option {
  return new Option('-o, --output <format>', help).choices(formats).argParser((text) => readFormat(text, formats));
}

/** Returns `-o` of a command that prints text or JSON; its value is the member `json` of the flags, a boolean. */
export function jsonOption(help: string): Option {
  const formats = ['text', 'json'];
  return new JsonOption('-o, --output <format>', help).choices(formats).argParser((text) => readFormat(text, formats) === 'json');
}

class JsonOption extends Option {
  override attributeName(): string {
    return 'json';
  }
}

/** Formats of this command line and of others: none of them is meant as a directory, which `-o` once named. */
const knownFormats = /^(?:text|markdown|json|junit|sarif|ya?ml|html|wide|name|table)$/i;

function readFormat(text: string, formats: readonly string[]): string {
  if (formats.includes(text)) return text;
  const outdir = knownFormats.test(text) ? '' : ` The directory to write to is now \`--outdir ${text}\`.`;
  throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}.${outdir}`);
}
