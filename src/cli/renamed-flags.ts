/** Returns the new form of a flag with its value. */
type NewForm = (value: string) => string;

const outdir: NewForm = (value) => `--outdir ${value}`;

/** The flags that have another form now, for all commands and for single ones. */
const renamed: Readonly<Record<string, Readonly<Record<string, NewForm>>>> = {
  '*': { '-o': outdir, '--output': outdir },
};

/**
 * Returns a sentence with the new form of the first word that is a flag of an earlier version, such as `-o build`.
 *
 * @param command the name of the command.
 */
export function renamedFlag(command: string | undefined, words: readonly string[]): string | undefined {
  const forms = { ...renamed['*'], ...(command !== undefined && Object.hasOwn(renamed, command) ? renamed[command] : {}) };
  for (const [index, word] of words.entries()) {
    const [, flag = '', attached] = /^(--?[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const form = Object.hasOwn(forms, flag) ? forms[flag] : undefined;
    if (form === undefined) continue;
    const next = words[index + 1];
    const value = attached ?? (next === undefined || next.startsWith('-') ? undefined : next);
    return `\`${flag}${value === undefined ? '' : ` ${value}`}\` is now \`${form(value ?? 'VALUE')}\`.`;
  }
  return undefined;
}
