import type { Command } from 'commander';

/** Returns the new form of a flag with its value. */
type NewForm = (value: string) => string;

/** Returns the form of a flag that named a file. */
function file(format: string): NewForm {
  return (name) => `--output-file ${format}=${name}`;
}

/** The flags that have another form now, for all commands and for single ones. */
const renamed: Readonly<Record<string, Readonly<Record<string, NewForm>>>> = {
  '*': {
    '-o': (directory) => `--outdir ${directory}`,
    '--output': (directory) => `--outdir ${directory}`,
    '-j': () => '-o json',
    '--json': () => '-o json',
    '--format': (format) => `-o ${format}`,
    '--policies': (path) => `--admission ${path}`,
    '--delete-shared': () => '--delete shared',
    '--delete-foreign': () => '--delete foreign',
  },
  diff: { '--out': file('plan'), '--html': file('html') },
  owners: { '--html': file('html') },
  list: { '--html': file('html') },
  guard: { '--out': file('yaml') },
  snapshot: { '-o': file('snapshot'), '--output': file('snapshot') },
  deploy: { '--report': file('report') },
  destroy: { '--report': file('report') },
  rollback: { '--report': file('report') },
  adopt: { '--record': file('record'), '--report': file('report') },
  comment: { '--outputs': file('dotenv'), '--code-quality': file('code-quality') },
};

/**
 * Returns a sentence with the new form of a flag of an earlier version; undefined if the command has no such flag.
 *
 * @param unknown the word of the command line that is not a flag, such as `--report` or `--report=r.json`.
 */
export function renamedFlag(command: Command, unknown: string, words: readonly string[]): string | undefined {
  const [flag = '', ...attached] = unknown.split('=');
  const forms = { ...renamed['*'], ...(Object.hasOwn(renamed, command.name()) ? renamed[command.name()] : {}) };
  if (!Object.hasOwn(forms, flag)) return undefined;
  const next = words[words.indexOf(unknown) + 1];
  const value = attached.length > 0 ? attached.join('=') : next === undefined || next.startsWith('-') ? undefined : next;
  const form = forms[flag]?.(value ?? '…') ?? '';
  if (!command.options.some(({ short, long }) => [short, long].includes(form.split(' ')[0]))) return undefined;
  const old = value !== undefined && form.includes(value) ? `${flag} ${value}` : flag;
  return `\`${old}\` is now \`${form}\`.`;
}
