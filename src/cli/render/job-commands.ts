/**
 * The systems that read commands in the output of a job: GitHub Actions finds `::command::` after leading blanks and `##[command]` anywhere
 * in a line, Azure Pipelines `##vso[command]`. Text of the cluster must not give any.
 */
export function readsJobCommands({ GITHUB_ACTIONS, TF_BUILD }: NodeJS.ProcessEnv): boolean {
  return GITHUB_ACTIONS === 'true' || TF_BUILD !== undefined;
}

/** Returns output in which no such system finds a command: JSON keeps its data, other text shows the number of a character. */
export function withoutJobCommands(text: string): string {
  if (!text.includes('##') && !text.includes('::')) return text;
  if (text.startsWith('{')) return text.replace(/#(?=#(?:vso)?\[)/gi, '\\u0023');
  return text
    .replace(/#(?=#(?:vso)?\[)/gi, '<U+0023>')
    .split(/(?<=[\r\n])/)
    .map(withoutCommand)
    .join('');
}

/** Blanks before a command do not hide it. */
function withoutCommand(line: string): string {
  const command = line.trimStart();
  if (!command.startsWith('::')) return line;
  return `${line.slice(0, line.length - command.length)}<U+003A>${command.slice(1)}`;
}
