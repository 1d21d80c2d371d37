/** The time after which a command says that it waits for its program. */
export const noticeMs = 5_000;

/** Behind the line that says so. */
export const waitingAdvice = 'Nothing is deployed or shown before it is over, as `node` would end.';

/** The next step where a program was not over after `programTimeout`. */
export const timedOutNext =
  'Close what it waits for, or call `process.exit(0)` after the last `synth()`. A program that needs longer needs a larger `programTimeout` in fieldwise.yaml. Nothing was changed.';
