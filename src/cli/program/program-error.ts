import { errorSource } from '../../app/source-position.js';
import { type ErrorArguments, FieldwiseError } from '../../util/error.js';

/**
 * Returns the error that ends a command for what a program threw.
 *
 * @param app the file of the program.
 */
export function programError(error: unknown, app: string): FieldwiseError {
  if (error instanceof FieldwiseError) return withSource(error, error);
  if (error instanceof Error && error.name === 'FieldwiseError') return withSource(fromOtherCopy(error), error);
  const source = error instanceof Error ? errorSource(error) : undefined;
  return programFailed(`The program failed: ${thrownText(error)}`, app, { source, cause: error });
}

/** The number of causes in the text of an error: those of Node say why a request failed. */
const maxCauses = 3;

/** Returns what was thrown in one line, with the causes of an error. */
function thrownText(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const name = error.name === 'Error' ? '' : `${error.name}: `;
  const text = `${name}${(error.message.split('\n')[0] ?? '').trim()}`;
  const behind = error instanceof AggregateError ? (error.errors as readonly unknown[]) : error.cause === undefined ? [] : [error.cause];
  if (depth === maxCauses || behind.length === 0) return text;
  return `${text} (${behind
    .slice(0, maxCauses)
    .map((cause) => thrownText(cause, depth + 1))
    .join('; ')})`;
}

/** Returns `program-failed` at a line of the program, or else in its file. */
export function programFailed(
  what: string,
  app: string,
  { source, next, cause }: { readonly source?: string | undefined; readonly next?: string; readonly cause?: unknown } = {},
): FieldwiseError {
  return new FieldwiseError('program-failed', 'usage', what, {
    location: source === undefined ? { file: app } : { source },
    ...(next === undefined ? {} : { next }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Adds the line of the program that called `build()`, unless the error names one. `thrown` has the stack. */
function withSource(error: FieldwiseError, thrown: Error): FieldwiseError {
  const { code, kind, message, location, next, cause } = error;
  if (code !== 'intent-invalid' || location.source !== undefined) return error;
  const source = errorSource(thrown);
  if (source === undefined) return error;
  return new FieldwiseError(
    ...([code, kind, message, { location: { ...location, source }, ...(next === undefined ? {} : { next }), cause }] as ErrorArguments),
  );
}

/** Converts an error of another installed copy of Fieldwise, which the program may use. */
function fromOtherCopy(error: Error): FieldwiseError {
  const { code, kind, message, location, next, cause } = error as FieldwiseError;
  // The other copy decided which kind its code has.
  return new FieldwiseError(...([code, kind, message, { location, ...(next === undefined ? {} : { next }), cause }] as ErrorArguments));
}
