import type { NamedObject } from '../../inspect/explain/conflict-text.js';
import { FieldwiseError } from '../../util/error.js';

/** Where a message is. */
export type MessageSource =
  | { readonly from: 'argument'; readonly text: string }
  | { readonly from: 'stdin' }
  | { readonly from: 'file'; readonly path: string };

/** A message to explain. */
export interface MessageSubject {
  readonly message: MessageSource;
  /** The object that the user named. */
  readonly object?: NamedObject;
}

/** Fields of a live object to explain. */
export interface LiveSubject {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly string[];
}

/**
 * Reads the arguments of `fieldwise explain`.
 *
 * @throws FieldwiseError `explain-misused`.
 */
export function subjectOf(words: readonly string[], file: string | undefined): MessageSubject | LiveSubject {
  const live = file === undefined ? liveSubjectOf(words) : undefined;
  if (live !== undefined) return live;
  const objects = words.filter(isObject).map(objectOf);
  const messages = [...words.filter((word) => !isObject(word)), ...(file === undefined ? [] : [file])];
  const [message, ...others] = messages;
  const [object, ...furtherObjects] = objects;
  if (others.length > 0) throw misused(others.some(isField) ? 'A message and a field are named' : 'Several messages are named');
  if (furtherObjects.length > 0) throw misused('Several objects are named');
  if (message === undefined) throw misused('No message and no object is named');
  const source: MessageSource =
    message === '-' ? { from: 'stdin' } : file === undefined ? { from: 'argument', text: message } : { from: 'file', path: file };
  return object === undefined ? { message: source } : { message: source, object };
}

/** Reads the arguments as an object and its fields; undefined if one of them is a message, which has spaces or is `-`. */
function liveSubjectOf(words: readonly string[]): LiveSubject | undefined {
  const [first, second] = words;
  if (first === undefined || words.some((word) => word === '-' || (/\s/.test(word) && !isField(word)))) return undefined;
  const objects = words.filter(isObject).map(objectOf);
  if (objects.length > 1) throw misused('Several objects are named');
  // As kubectl reads them: `deployment web`.
  const isApart = objects.length === 0 && second !== undefined && [first, second].every((word) => /^[\w.-]{1,300}$/.test(word));
  const object = isApart ? { kind: first, name: second } : objects[0];
  if (object === undefined) throw misused('No object is named');
  const fields = (isApart ? words.slice(2) : words.filter((word) => !isObject(word))).map((word) => (isField(word) ? word : `.${word}`));
  if (fields.length === 0) throw misused(`No field of ${object.kind}/${object.name} is named`);
  return { ...object, fields: [...new Set(fields)] };
}

function isObject(word: string): boolean {
  return /^[\w.-]{1,300}\/[\w.:-]{1,300}$/.test(word);
}

function isField(word: string): boolean {
  return /^\.[^\n]{1,10000}$/.test(word);
}

function objectOf(word: string): { readonly kind: string; readonly name: string } {
  const slash = word.indexOf('/');
  return { kind: word.slice(0, slash), name: word.slice(slash + 1) };
}

function misused(what: string): FieldwiseError {
  return new FieldwiseError('explain-misused', 'usage', what, {
    next: 'Pipe one message, as in `kubectl apply --server-side -f web.yaml 2>&1 | fieldwise explain - deployment/web`, or name an object and its fields, as in `fieldwise explain deployment/web .spec.replicas`. `fieldwise owners deployment/web` lists the fields.',
  });
}
