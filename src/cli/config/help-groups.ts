import type { Command, Option } from 'commander';

/** The groups of the flags of a command, in the order in which `--help` shows them. */
export const helpGroups = {
  command: 'Options:',
  program: 'Program and documents:',
  environment: 'Environment:',
  cluster: 'Cluster:',
} as const;

/** The groups of the commands, in the order in which `--help` shows them. */
const commandGroups: Readonly<Record<string, readonly string[]>> = {
  'Every day:': ['init', 'import', 'synth', 'diff', 'deploy', 'status', 'history', 'rollback', 'destroy'],
  'Ownership:': ['owners', 'explain', 'adopt', 'drift'],
  'Team:': ['comment', 'guard', 'rbac'],
  'Operation:': ['list', 'doctor', 'snapshot', 'completion', 'help'],
  'Embedded API server:': ['cluster'],
};

const order: readonly string[] = [...Object.values(helpGroups), ...Object.keys(commandGroups)];

/** Returns the heading of a command of the program. */
export function commandGroupOf(name: string): string {
  return Object.keys(commandGroups).find((heading) => commandGroups[heading]?.includes(name)) ?? 'Other commands:';
}

/** Adds flags to a group; a group that is being added to is the inner one. */
export function inHelpGroup(heading: string, command: Command, add: (command: Command) => Command): Command {
  const before = new Set(command.options);
  add(command);
  for (const option of command.options) if (!before.has(option)) option.helpGroupHeading ??= heading;
  return command;
}

/** Sorts items, which are flags or commands, into groups for `--help`: the groups of flags in the order above. */
export function inHelpOrder<Item>(groups: Map<string, Item[]>): Map<string, Item[]> {
  const rank = (heading: string) => order.indexOf(heading);
  return new Map([...groups].sort(([left], [right]) => rank(left) - rank(right)));
}

/** Returns the heading of a flag. */
export function helpGroupOf(option: Option): string {
  return option.helpGroupHeading ?? helpGroups.command;
}
