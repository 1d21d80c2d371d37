import { type Command, Help, type Option } from 'commander';

/** Two screens of 48 lines. */
const maxLines = 96;

/** Flags that a help keeps in full: those of most command lines, and those that decide what is lost. */
const common: ReadonlySet<string | undefined> = new Set([
  '--all',
  '--app',
  '--delete',
  '--env',
  '--exit-code',
  '--file',
  '--from',
  '--output',
  '--output-file',
  '--plan',
  '--prune',
  '--repair',
  '--risky',
  '--yes',
]);

/**
 * Returns the help of a command. One that is longer than two screens has one line for each flag that is not among the common ones.
 *
 * @param whole true to describe each flag in full.
 */
export function helpText(command: Command, helper: Help, whole: boolean): string {
  const full = formatted(command, helper);
  if (whole || full.trimEnd().split('\n').length <= maxLines) return full;
  // Behind the term are two spaces, and two are before it.
  const width = (helper.helpWidth ?? 80) - helper.padWidth(command, helper) - 4;
  const describe = helper.optionDescription.bind(helper);
  helper.optionDescription = (option: Option) => (common.has(option.long) ? describe(option) : shortened(option.description, width));
  return `${formatted(command, helper).trimEnd()}\n\nAll flags in full: ${commandLine(command)} --help --all\n`;
}

function formatted(command: Command, helper: Help): string {
  return Help.prototype.formatHelp.call(helper, command, helper);
}

function commandLine(command: Command): string {
  return command.parent ? `${commandLine(command.parent)} ${command.name()}` : command.name();
}

/** Returns a description without its default, cut where it is longer than a line. */
function shortened(description: string, width: number): string {
  const at = description.endsWith(')') ? description.indexOf(' (default: ') : -1;
  const text = at < 0 ? description : description.slice(0, at);
  if (text.length <= width) return text;
  const words = text.slice(0, width - 1).split(' ');
  return `${words
    .slice(0, -1)
    .join(' ')
    .replace(/[,:;.]$/, '')} …`;
}
