import { ApiError, type StatusCause } from '../../kubernetes/index.js';

/**
 * The fields that the server does not let change, of a refusal that is about nothing else; empty for other errors. Kubernetes has no
 * reason of its own for this: validation says it in words, and CEL transition rules of CustomResourceDefinitions do in their authors'.
 */
export function immutableFields(error: unknown): readonly StatusCause[] {
  if (!(error instanceof ApiError) || error.code !== 422 || error.causes.length === 0) return [];
  return error.causes.every(saysImmutable) ? error.causes : [];
}

/** Whether one cause of a refusal says so. */
export function saysImmutable({ message }: StatusCause): boolean {
  return (
    immutable.test(message) ||
    message.split('\n').some((line) => /forbidden|not allowed/i.test(/(?:updates?|changes?) to (.*)/i.exec(line)?.[1] ?? ''))
  );
}

const immutable =
  /immutable|may not be (changed|updated|modified)|may not (change|update)|can ?not (be )?(changed?|updated?|modif(y|ied))|is forbidden after creation/i;

/** Characters of a value that a person still reads. */
const longestValue = 120;

/** A cause as a person reads it. The server prints whole values, as a Go struct or as pages of JSON: then only what it says of them is kept. */
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
