import { inspect } from 'node:util';
import { errorSource } from '../../app/source-position.js';

/**
 * The exception by which `process.exit` of a program never returns: the program is over, and the command goes on. A `catch` of the
 * program may print it, so that it shows nothing.
 */
export class ProgramExit extends Error {
  override readonly name = 'ProgramExit';
  /** The line that called `process.exit`. */
  readonly source: string | undefined;

  constructor(readonly exitCode: number) {
    super(`process.exit(${exitCode})`);
    this.source = errorSource(this);
  }

  [inspect.custom](): string {
    return '';
  }
}
