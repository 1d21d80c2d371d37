import { exitCodeOf, FieldwiseError, sentence } from '../util/error.js';
import type { Host } from './host.js';
import { linesText } from './render/printable.js';

/**
 * Prints the error that ends a command.
 *
 * @param verbose also prints the cause, with its stack.
 * @returns the exit code.
 */
export async function reportError(error: unknown, host: Pick<Host, 'stderr'>, verbose = false): Promise<number> {
  if (error instanceof FieldwiseError) {
    host.stderr(linesText([`error: ${error.describe()} [${error.code}]`]));
    if (verbose) host.stderr(causeText(error.cause));
    return exitCodeOf(error.kind);
  }
  const { explain } = await import('../engine/report/explain.js');
  const { code, message, next } = explain(error);
  host.stderr(linesText([`error: ${[message, next].flatMap((text) => (text ? [sentence(text)] : [])).join(' ')} [${code}]`]));
  if (verbose) host.stderr(causeText(error));
  return exitCodeOf('resource');
}

function causeText(cause: unknown): string {
  if (cause === undefined) return '';
  return `cause: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`;
}
