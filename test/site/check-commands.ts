import type { Command } from 'commander';
import { commandsOf, type PageBlock } from './page-blocks.js';

/** Names the `fieldwise` commands of a block whose command or flags do not exist. */
export function unknownCommands(block: PageBlock, program: Command): string[] {
  return commandLinesOf(block).flatMap((line) => {
    const problem = problemOf(line, program);
    return problem === undefined ? [] : [`line ${block.line}: \`${line}\`: ${problem}`];
  });
}

/** Returns the parts of a block that call `fieldwise`: commands of a shell, and those inside YAML, such as the steps of a workflow. */
export function commandLinesOf({ language, text }: PageBlock): string[] {
  if (!/^(?:sh|bash|ya?ml|console)$/.test(language)) return [];
  const lines = language === 'console' ? text.split('\n').flatMap((line) => /^\$ (.*)$/.exec(line)?.[1] ?? []) : commandsOf(text);
  return lines.flatMap((line) =>
    [...line.matchAll(/(?:(?:^|[;&|(] *|: |- )|\bnpx )(fieldwise (?=[a-z-])[^|&;>)]*)/g)].map(([, call = '']) => call.trim()),
  );
}

function problemOf(line: string, program: Command): string | undefined {
  const words = line
    .split(/\s+/)
    .slice(1)
    .map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
  let command = program;
  while (words[0] !== undefined && command.commands.length > 0 && !words[0].startsWith('-')) {
    const name = words.shift() as string;
    const child = command.commands.find((one) => one.name() === name);
    if (child === undefined) return `there is no command ${name}`;
    command = child;
  }
  const known = new Set(['--help', '-h', ...[...command.options, ...program.options].flatMap(({ short, long }) => [short, long])]);
  const unknown = words.filter((word) => /^--?[a-z]/.test(word) && !known.has(word.replace(/=.*$/, '')));
  return unknown.length === 0 ? undefined : `there is no flag ${unknown.join(', ')}`;
}
