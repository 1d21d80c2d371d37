import { runCli } from '../../src/cli/run-cli.js';

/** Runs a command in this process: for tests that run hundreds of them. */
export async function inProcess(
  words: readonly string[],
  options: { readonly cwd: string; readonly environment: Readonly<Record<string, string>> },
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  let stdout = '';
  let stderr = '';
  const { cwd, environment } = options;
  const exitCode = await runCli(words, {
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...environment },
    interactive: false,
    color: false,
    signal: new AbortController().signal,
  });
  return { exitCode, stdout, stderr };
}
