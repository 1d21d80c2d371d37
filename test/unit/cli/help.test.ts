import { tmpdir } from 'node:os';
import { expect, it, test } from 'vitest';
import { allCommands } from '../../checks/reference-pages.js';
import { fieldwise } from '../../harness/fieldwise.js';

const program = await allCommands();
const commands = program.commands.filter((command) => command.name() !== 'help');
const helpOf = async (...words: readonly string[]) => (await fieldwise([...words, '--help'], { cwd: tmpdir() })).stdout;

it.each(commands.map((command) => [command.name(), command] as const))(
  '%s --help fits two screens, and names each flag',
  async (name, command) => {
    const lines = (await helpOf(name)).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(96);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const named = lines.flatMap((line) => /^ {2}(?:-\w, )?(--[\w-]+)/.exec(line)?.[1] ?? []);
    expect(named).toEqual(expect.arrayContaining(command.options.filter(({ hidden }) => !hidden).map(({ long }) => long)));
  },
);

test('deploy --help --all describes each flag in full', async () => {
  const short = await helpOf('deploy');
  expect(short).toContain('\nAll flags in full: fieldwise deploy --help --all\n');
  const whole = (await helpOf('deploy', '--all')).replaceAll(/\s+/g, ' ');
  const deploy = commands.find((command) => command.name() === 'deploy');
  for (const { description } of deploy?.options ?? []) expect(whole).toContain(description);
  expect(whole).not.toContain('All flags in full');
});

test('the commands are at most 24, in groups', async () => {
  expect(commands.length).toBeLessThanOrEqual(24);
  const help = await helpOf();
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect([...help.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)).toEqual([
    'Options',
    'Every day',
    'Ownership',
    'Team',
    'Operation',
    'Embedded API server',
  ]);
});
