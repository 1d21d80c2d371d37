/** The time after which a command says that it waits for its program. */
export const noticeMs = 5_000;

/** Behind the line that says so. */
export const waitingAdvice = 'Nothing is deployed or shown before it is over, as `node` would end.';

/**
 * Returns the line about a command line that is not over. One that compiles its program first, as `ts-node` does, may be at nothing else then.
 *
 * @param file a file of TypeScript that the command line names.
 */
export function commandNotice(app: string, file: string | undefined): string {
  const compiler = /(?<![\w-])(?:ts-node(?:-esm|-script)?|tsx|tsc)(?![\w-])/.exec(app)?.[0];
  const cause =
    compiler === undefined
      ? ''
      : `${compiler} compiles the program first, which may take longer. ${file === undefined ? '' : `\`-a ${file}\` runs it without ${compiler}. `}`;
  return `The program \`${app}\` is not over after ${noticeMs / 1000} s. ${cause}${waitingAdvice}\n`;
}

/** The next step where a program was not over after `programTimeout`. */
export const timedOutNext =
  'Close what it waits for, or call `process.exit(0)` after the last `synth()`. A program that needs longer, also to be compiled, needs a larger `programTimeout` in fieldwise.yaml. Nothing was changed.';
