import { spawn, spawnSync } from 'node:child_process';
import { commandLine, environmentOf, type RunOptions } from './fieldwise.js';

/** Keys as a terminal sends them. */
export const ctrlC = '\u0003';
export const ctrlD = '\u0004';

/** Why no command can be run at a terminal here; undefined where one can: util-linux, which every Linux has, makes the terminal. */
export const noTerminal: string | undefined =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
    ? undefined
    : 'the command `script` of util-linux is not here';

export interface TerminalRun {
  readonly exitCode: number;
  /** Both outputs, as the screen got them. */
  readonly screen: string;
}

/**
 * Runs `fieldwise` at a terminal of its own and presses the next of `keys` at each question. With `stdin`, a pipe is its standard input, as in
 * `helm template … | fieldwise …`.
 */
export function atTerminal(args: readonly string[], keys: readonly string[], options: RunOptions): Promise<TerminalRun> {
  const command = [process.execPath, commandLine, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const piped = options.stdin === undefined ? command : `printf '%s' "$PIPED" | ${command}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', piped, '/dev/null'], {
    cwd: options.cwd,
    env: { ...environmentOf(options), TERM: 'dumb', SHELL: '/bin/sh', ...(options.stdin === undefined ? {} : { PIPED: options.stdin }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const pressed = [...keys];
  let screen = '';
  let replied = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const prompted = screen.split('[y/N] ').length - 1;
    for (; replied < prompted && pressed.length > 0; replied++) child.stdin.write(pressed.shift() as string);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? -1, screen: screen.replaceAll('\r\n', '\n') }));
  });
}
