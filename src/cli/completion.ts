import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A command: the words that select it, and the commands and options that may follow. */
interface CompletionContext {
  readonly words: readonly string[];
  readonly commands: readonly Command[];
  readonly options: readonly { readonly short?: string | undefined; readonly long?: string | undefined; readonly description: string }[];
}

/** Returns a script for a shell that completes the commands and flags of a program; the shell completes file names. */
export function completionScript(program: Command, shell: Shell): string {
  const contexts = contextsOf(program, []);
  // A shell completes `fieldwise`, and kubectl completes its plugins itself.
  const name = program.name().split(' ').at(-1) as string;
  if (shell === 'fish') return fish(name, contexts);
  const script = bash(name, contexts);
  return shell === 'bash' ? script : `#compdef ${name}\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function contextsOf(command: Command, words: readonly string[]): readonly CompletionContext[] {
  const commands = command.commands.filter((child) => child.name() !== 'help');
  const global = words.length > 0 && command.parent ? optionsAbove(command) : [];
  const options = [...command.options, ...global].filter((option) => !option.hidden);
  return [{ words, commands, options }, ...commands.flatMap((child) => contextsOf(child, [...words, child.name()]))];
}

function optionsAbove(command: Command): Command['options'] {
  const options: Command['options'][number][] = [];
  for (let above = command.parent; above; above = above.parent) options.push(...above.options.filter(({ long }) => long !== '--version'));
  return options;
}

function bash(name: string, contexts: readonly CompletionContext[]): string {
  const cases = contexts.map(({ words, commands, options }) => {
    const flags = options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined);
    const follow = [...commands.map((command) => command.name()), ...flags, '--help'];
    return `    '${words.join(' ')}') words='${[...new Set(follow)].join(' ')}' ;;`;
  });
  const known = contexts.flatMap(({ words }) => (words.length > 0 ? [`'${words.join(' ')}'`] : [])).join('|');
  return `# ${name} completion; load it with: source <(${name} completion bash)
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place='' word next words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    next="\${place:+$place }$word"
    case "$next" in
      ${known}) place="$next" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`;
}

function fish(name: string, contexts: readonly CompletionContext[]): string {
  const lines = contexts.flatMap(({ words, commands, options }) => {
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const notYet = commands.length > 0 ? [`not __fish_seen_subcommand_from ${commands.map((command) => command.name()).join(' ')}`] : [];
    const at = (conditions: readonly string[]) => (conditions.length > 0 ? ` -n ${quoted(conditions.join('; and '))}` : '');
    return [
      ...commands.map(
        (command) =>
          `complete -c ${name}${at([...seen, ...notYet])} -a ${command.name()} -d ${quoted(command.summary() || command.description())}`,
      ),
      ...options.map(({ short, long, description }) => {
        const flags = [short && ` -s ${short.slice(1)}`, long && ` -l ${long.slice(2)}`].filter((flag) => flag).join('');
        return `complete -c ${name}${at(words.length === 0 ? notYet : seen)}${flags} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# ${name} completion; load it with: ${name} completion fish | source\n${[...new Set(lines)].join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
