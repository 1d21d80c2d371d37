import type { ConfirmationNeededError } from '../../engine/run/ask-all.js';
import { exitCodeOf, FieldwiseError, sentence } from '../../util/error.js';
import type { Host } from '../process/host.js';
import { linesText } from './printable.js';
import { wrapText } from './wrap.js';

type ErrorHost = Pick<Host, 'stderr' | 'columns'> & Partial<Pick<Host, 'interactive'>>;

/**
 * Prints the error that ends a command.
 *
 * @param verbose also prints the cause, with its stack.
 * @returns the exit code.
 */
export async function reportError(error: unknown, { stderr, columns, interactive = false }: ErrorHost, verbose = false): Promise<number> {
  if (error instanceof FieldwiseError) {
    const lines = isUnconfirmed(error)
      ? (await import('./refusal-lines.js')).refusalLines(error, interactive)
      : [`error: ${error.describe()} [${error.code}]`];
    stderr(wrapText(linesText(lines), columns));
    if (verbose) stderr(causeText(error.cause));
    return exitCodeOf(error.kind);
  }
  const { explain } = await import('../../engine/report/explain.js');
  const { code, message, next } = explain(error);
  const text = [message, next].flatMap((part) => (part ? [sentence(part)] : [])).join(' ');
  stderr(wrapText(linesText([`error: ${text} [${code}]`]), columns));
  if (verbose) stderr(causeText(error));
  return exitCodeOf('resource');
}

function isUnconfirmed(error: FieldwiseError): error is FieldwiseError & Pick<ConfirmationNeededError, 'questions'> {
  return error.code === 'confirmation-needed' && 'questions' in error;
}

function causeText(cause: unknown): string {
  if (cause === undefined) return '';
  return `cause: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`;
}
