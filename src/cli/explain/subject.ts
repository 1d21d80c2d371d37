import type { NamedObject } from '../../inspect/explain/conflict-text.js';
import { FieldwiseError } from '../../util/error.js';

/** Where a message is. */
export type MessageSource =
  | { readonly from: 'argument'; readonly text: string }
  | { readonly from: 'stdin' }
  | { readonly from: 'file'; readonly path: string };

/** What `fieldwise explain` is to explain. */
export interface Subject {
  readonly message: MessageSource;
  /** The object that the user named. */
  readonly object?: NamedObject;
}

/**
 * Reads the arguments of `fieldwise explain`.
 *
 * @throws FieldwiseError `explain-misused`.
 */
export function subjectOf(words: readonly string[], file: string | undefined): Subject {
  const objects = words.filter(isObject);
  const texts = words.filter((word) => !isObject(word));
  const messages = [...texts, ...(file === undefined ? [] : [file])];
  const [message, ...others] = messages;
  if (message === undefined) throw misused('No message to explain is named');
  if (others.length > 0) throw misused('Several messages are named');
  if (objects.length > 1) throw misused('Several objects are named');
  const [word] = objects;
  const source: MessageSource =
    message === '-' ? { from: 'stdin' } : file === undefined ? { from: 'argument', text: message } : { from: 'file', path: file };
  return word === undefined ? { message: source } : { message: source, object: objectOf(word) };
}

function isObject(word: string): boolean {
  return /^[\w.-]{1,300}\/[\w.:-]{1,300}$/.test(word);
}

function objectOf(word: string): NamedObject {
  const slash = word.indexOf('/');
  return { kind: word.slice(0, slash), name: word.slice(slash + 1) };
}

function misused(what: string): FieldwiseError {
  return new FieldwiseError('explain-misused', 'usage', what, {
    next: 'Pipe one message, as in `kubectl apply --server-side -f web.yaml 2>&1 | fieldwise explain - deployment/web`, or pass it as one quoted argument.',
  });
}
