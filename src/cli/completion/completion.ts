import type { Command, Option } from 'commander';
import { strategies } from '../../assembly/policy-vocabulary.js';
import { deletables } from '../config/flags.js';
import type { ValueList } from './completion-values.js';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A command: the words that select it, and the commands and options that may follow. */
interface CompletionContext {
  readonly words: readonly string[];
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
  /** The values of its first argument. */
  readonly values: Values | undefined;
}

/** The values of a flag or an argument: words, or the list for which the shell asks. */
type Values = readonly string[] | ValueList;

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
  return [
    { words, commands, options, values: valuesOfArgument(command) },
    ...commands.flatMap((child) => contextsOf(child, [...words, child.name()])),
  ];
}

/** The values of flags that say them in words. */
const valuesOfFlags: Readonly<Record<string, Values>> = {
  '--env': 'environments',
  '--kube-context': 'contexts',
  '--strategy': strategies,
  '--reconcile': ['auto', 'changed', 'full'],
  '--helm-hooks': ['skip', 'order', 'refuse'],
  '--to': 'stacks',
  '--stack': 'stacks',
  '--without': 'stacks',
  '--run': 'runs',
  '--cluster': ['embedded'],
  '--delete': [...deletables, deletables.join(',')],
};

function valuesOfOption({ long, argChoices }: Option): Values | undefined {
  if (long === '--output-file') return argChoices?.map((format) => `${format}=`);
  return argChoices ?? (long ? valuesOfFlags[long] : undefined);
}

function valuesOfArgument(command: Command): Values | undefined {
  const [first] = command.registeredArguments;
  const takesStacks =
    ['owners', 'adopt'].includes(command.name()) || command.registeredArguments.some((argument) => /^stacks?$/.test(argument.name()));
  return first?.argChoices ?? (takesStacks ? 'stacks' : undefined);
}

function optionsAbove(command: Command): Command['options'] {
  const options: Command['options'][number][] = [];
  for (let above = command.parent; above; above = above.parent) options.push(...above.options.filter(({ long }) => long !== '--version'));
  return options;
}

function bash(name: string, contexts: readonly CompletionContext[]): string {
  const cases = contexts.map(({ words, commands, options, values }) => {
    const flags = options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined);
    const follow = [...commands.map((command) => command.name()), ...flags, '--help'];
    return `    '${words.join(' ')}') words='${[...new Set(follow)].join(' ')}'${values === undefined ? '' : `; ${bashValues(values)}`} ;;`;
  });
  const known = contexts.flatMap(({ words }) => (words.length > 0 ? [`'${words.join(' ')}'`] : [])).join('|');
  return `# ${name} completion; load it with: source <(${name} completion bash)
_${name}_values() {
  # The first word of the line is the command, wherever it is installed.
  if [[ -n $environment ]]; then local -x FIELDWISE_ENV="$environment"; fi
  if [[ -n $list ]]; then values="$("\${COMP_WORDS[0]}" completion "$list" 2>/dev/null)"; fi
  COMPREPLY=($(compgen -W "$values" -- "$current"))
  # The file follows.
  if [[ \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" place='' word next words='' values='' list='' before='' environment='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ $word == = ]]; then continue; fi
    if [[ $before == -e || $before == --env ]]; then environment="$word"; fi
    before="$word"
    next="\${place:+$place }$word"
    case "$next" in
      ${known}) place="$next" ;;
    esac
  done
  case "$place $previous" in
${flagCases(name, contexts).join('\n')}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  if [[ $current != -* ]]; then
    _${name}_values
    COMPREPLY+=($(compgen -W "$words" -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`;
}

/** Returns the cases of flags that have a value: its words, or a file, which the shell completes. */
function flagCases(name: string, contexts: readonly CompletionContext[]): readonly string[] {
  const byValues = new Map<string, string[]>();
  for (const { words, options } of contexts) {
    for (const option of options.filter(({ required }) => required)) {
      const values = valuesOfOption(option);
      const text = values === undefined ? '' : bashValues(values);
      const flags = [option.short, option.long].filter((flag) => flag).map((flag) => `'${[words.join(' '), flag].join(' ')}'`);
      byValues.set(text, [...(byValues.get(text) ?? []), ...flags]);
    }
  }
  return [...byValues].map(([values, flags]) => {
    const reply = values === '' ? 'COMPREPLY=()' : `${values}; _${name}_values`;
    return `    ${flags.join('|')}) ${reply}; return ;;`;
  });
}

function bashValues(values: Values): string {
  return typeof values === 'string' ? `list=${values}` : `values='${values.join(' ')}'`;
}

function fish(name: string, contexts: readonly CompletionContext[]): string {
  const lines = contexts.flatMap(({ words, commands, options, values }) => {
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const notYet = commands.length > 0 ? [`not __fish_seen_subcommand_from ${commands.map((command) => command.name()).join(' ')}`] : [];
    const at = (conditions: readonly string[]) => (conditions.length > 0 ? ` -n ${quoted(conditions.join('; and '))}` : '');
    return [
      ...commands.map(
        (command) =>
          `complete -c ${name}${at([...seen, ...notYet])} -a ${command.name()} -d ${quoted(command.summary() || command.description())}`,
      ),
      ...(values === undefined ? [] : [`complete -c ${name}${at(seen)} -a ${fishValues(name, values)}`]),
      ...options.map((option) => {
        const { short, long, description } = option;
        const own = valuesOfOption(option);
        const flags = [short && ` -s ${short.slice(1)}`, long && ` -l ${long.slice(2)}`].filter((flag) => flag).join('');
        return `complete -c ${name}${at(words.length === 0 ? notYet : seen)}${flags}${own === undefined ? '' : ` -x -a ${fishValues(name, own)}`} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# ${name} completion; load it with: ${name} completion fish | source\n${[...new Set(lines)].join('\n')}\n`;
}

function fishValues(name: string, values: Values): string {
  return quoted(typeof values === 'string' ? `(${name} completion ${values} 2>/dev/null)` : values.join(' '));
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
