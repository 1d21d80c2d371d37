import { ApiError, admissionDenialOf, type StatusCause } from '../../kubernetes/index.js';

/**
 * Returns the fields that the server does not let change, for a refusal that is about nothing else; empty for other errors. Kubernetes has
 * no status reason for this: validation says it in words, and CEL transition rules of CustomResourceDefinitions in their authors' words. A
 * policy of the cluster that says so does not count: to replace the object would evade it.
 */
export function immutableFields(error: unknown): readonly StatusCause[] {
  if (!(error instanceof ApiError) || error.code !== 422 || error.causes.length === 0) return [];
  return error.causes.every(saysImmutable) && admissionDenialOf(error)?.by !== 'policy' ? error.causes : [];
}

/** Returns true if a cause of a refusal says that its field is immutable. */
export function saysImmutable({ message }: StatusCause): boolean {
  return (
    immutable.test(message) ||
    message.split('\n').some((line) => /forbidden|not allowed/i.test(/(?:updates?|changes?) to (.*)/i.exec(line)?.[1] ?? ''))
  );
}

const immutable =
  /immutable|may not be (changed|updated|modified)|may not (change|update)|can ?not (be )?(changed?|updated?|modif(y|ied))|is forbidden after creation/i;

/** Characters of a value that are still readable in a message. */
const longestValue = 120;

/** Formats a cause for people. The server prints whole values, as a Go struct or as pages of JSON; only its remark about them is kept. */
export function causeText({ field, message }: StatusCause): string {
  const text = withoutDump(message);
  return field ? `.${field}: ${text}` : text;
}

function withoutDump(message: string): string {
  const start = 'Invalid value: ';
  if (!message.startsWith(start)) return message;
  const end = Math.max(message.lastIndexOf('}: '), message.lastIndexOf(']: '));
  const isGo = /^[&*[\]]*(?:map\[|[a-z0-9]+\.[A-Z]\w*\{)/.test(message.slice(start.length));
  if (end < 0 || (!isGo && end - start.length < longestValue)) return message;
  return message.slice(end + 3);
}
