import type pc from 'picocolors';
import type { ReportedError } from '../../deploy/index.js';
import { sentence } from '../../util/error.js';

/** Formats an error of one object: the message in red, the next step, and the code. */
export function errorText({ message, next, code }: ReportedError, colors: Pick<ReturnType<typeof pc.createColors>, 'red'>): string {
  return `${colors.red(sentence(message))}${next ? ` ${sentence(next)}` : ''} [${code}]`;
}
