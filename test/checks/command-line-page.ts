import type { Argument, Command, Option } from 'commander';
import { helpGroupOf, helpGroups, inHelpOrder } from '../../src/cli/config/help-groups.js';
import { cell, generatedNote, table } from './markdown-table.js';

/** Returns the page of all commands with their arguments and flags, as `--help` has them. */
export function commandLinePage(program: Command): string {
  const commands = program.commands.flatMap((command) => withChildren(command));
  return `# Command line

${generatedNote('the commands')}

${program.description()}

The report of a command is written to standard output, also that of a command that changes a cluster: \`fieldwise deploy | tee deploy.log\` has its objects and its
summary. Warnings, errors (\`error: …\`), questions, what a run waits for, and the line of progress are written to standard error. With \`-o json\`, standard output has all
events, one per line. With another format it has only that format, and the text of the run is on standard error. Without a terminal there are no prompts: a command
that would delete something refuses, unless \`--yes\` is set.

Where \`--help\` of a command would be longer than two screens, it shortens what it says of flags that few need; \`--help --all\` has all of it, as this page does.

${table(
  ['command', 'purpose'],
  commands.map((command) => [`[\`${nameOf(command)}\`](#${anchorOf(nameOf(command))})`, cell(command.summary() || command.description())]),
)}
## Exit codes

| code | meaning |
|---|---|
| 0 | Success. |
| 1 | Differences, with \`--exit-code\` only; a plan that \`fieldwise comment --fail-on\` does not accept. |
| 2 | Wrong usage, configuration or program. |
| 3 | The credentials were rejected. |
| 4 | An object failed, or did not become ready. |
| 5 | Conflicts under the policy \`fail\`, or a fight over a field. |
| 130 | Interrupted. |

## Flags of all commands

${optionTable(program.options)}
${commands.map((command) => sectionOf(command)).join('\n')}`;
}

function withChildren(command: Command): readonly Command[] {
  const children = command.commands.filter((child) => child.name() !== 'help');
  return children.length === 0 ? [command] : children.flatMap((child) => withChildren(child));
}

function sectionOf(command: Command): string {
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `## ${nameOf(command)}`,
    command.description(),
    `\`\`\`text\n${nameOf(command)} ${command.usage()}\n\`\`\``,
    ...(command.registeredArguments.length === 0 ? [] : [argumentTable(command.registeredArguments).trimEnd()]),
    ...optionTables(options),
    '',
  ].join('\n\n');
}

function argumentTable(all: readonly Argument[]): string {
  return table(
    ['argument', 'meaning', 'default'],
    all.map((argument) => [`\`${argument.name()}\``, cell(meaningOf(argument.description, argument.argChoices)), defaultOf(argument)]),
  );
}

/** Returns a table for each group of flags, in the order of `--help`, with the heading of each but the first. */
function optionTables(options: readonly Option[]): readonly string[] {
  const groups = inHelpOrder(groupsOf(options));
  return [...groups].flatMap(([heading, group]) => [...(heading === helpGroups.command ? [] : [heading]), optionTable(group).trimEnd()]);
}

function groupsOf(options: readonly Option[]): Map<string, Option[]> {
  const groups = new Map<string, Option[]>();
  for (const option of options) groups.set(helpGroupOf(option), [...(groups.get(helpGroupOf(option)) ?? []), option]);
  return groups;
}

function optionTable(options: readonly Option[]): string {
  return table(
    ['flag', 'meaning'],
    options.map((option) => [`\`${option.flags}\``, cell(meaningOf(option.description, option.argChoices))]),
  );
}

function meaningOf(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description}: ${choices.map((choice) => `\`${choice}\``).join(', ')}`;
}

function defaultOf({ defaultValue }: Argument): string {
  return defaultValue === undefined || (Array.isArray(defaultValue) && defaultValue.length === 0) ? ' ' : `\`${String(defaultValue)}\``;
}

/** Returns the words that select a command, such as `fieldwise cluster start`. */
export function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function anchorOf(name: string): string {
  return name.replaceAll(' ', '-');
}
