import type { CodeOf, ErrorCode, ErrorKind } from './error-codes.js';
import { isInstance } from './has-brand.js';

export type { ErrorCode, ErrorKind };

/** The location of an error. Every known member is set. */
export interface ErrorLocation {
  /** A file as the user named it, with `:line:column` where known. */
  readonly file?: string;
  /** `Kind namespace/name` of an object. */
  readonly object?: string;
  /** A field path such as `.spec.ports[name="http"].port`. */
  readonly field?: string;
  /** Path of the construct to blame, such as `shop/gateway/own-SharedGateway-public`. */
  readonly construct?: string;
  /** Source position of the declaration to blame, such as `main.ts:12:9`. */
  readonly source?: string;
  /** A field manager. */
  readonly manager?: string;
  /** A server's address. */
  readonly server?: string;
}

/** The arguments of a `FieldwiseError`; each code permits the kinds that src/util/error-codes.ts declares for it. */
export type ErrorArguments = {
  [Kind in ErrorKind]: [
    code: CodeOf<Kind>,
    kind: Kind,
    what: string,
    options?: { readonly location?: ErrorLocation; readonly next?: string; readonly cause?: unknown },
  ];
}[ErrorKind];

/** A registered symbol, so that two installed copies of Fieldwise share it. */
const errorBrand: unique symbol = Symbol.for('fieldwise.error') as never;

/**
 * An error that a user can act on: it says what happened, where, and what to do next. The command line prints it as one paragraph, without
 * a stack.
 */
export class FieldwiseError extends Error {
  /** Recognizes errors by their brand, so that an error of another copy of Fieldwise is an instance too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one asks for itself
    return isInstance(value, this, FieldwiseError, errorBrand);
  }

  readonly [errorBrand] = true;
  override readonly name = 'FieldwiseError';
  /** Stable, such as `crd-invalid`; listed in docs/errors.md. */
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly location: ErrorLocation;
  /** The next step, as a sentence. */
  readonly next: string | undefined;

  constructor(...[code, kind, what, options = {}]: ErrorArguments) {
    super(what, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.kind = kind;
    this.location = options.location ?? {};
    this.next = options.next;
  }

  /**
   * The location as text, such as `Deployment shop/web, field .spec.replicas`, without a field that the message names; undefined if nothing is
   * left.
   */
  get locationText(): string | undefined {
    const { file, object, field, construct, source, manager, server } = this.location;
    const where = [
      file,
      object,
      field && !this.message.includes(field) && `field ${field}`,
      construct && `declared by ${construct}${source ? ` (${source})` : ''}`,
      !construct && source ? `at ${source}` : undefined,
      manager && `field manager ${manager}`,
      server && `server ${server}`,
    ].filter((part) => typeof part === 'string' && part !== '');
    return where.length > 0 ? where.join(', ') : undefined;
  }

  /** Returns the whole error as one paragraph: what, where, what next. */
  describe(): string {
    const { locationText } = this;
    return [sentence(this.message), locationText && `Where: ${locationText}.`, this.next && sentence(this.next)]
      .filter((part) => part !== undefined)
      .join(' ');
  }
}

/** Returns the exit code of a command that ends with an error of this kind. */
export function exitCodeOf(kind: ErrorKind): number {
  return { usage: 2, authentication: 3, resource: 4, conflict: 5, interrupted: 130 }[kind];
}

/** Returns the text with a full stop, unless it already ends a sentence. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Returns what code of a user threw, with the next step if it is known. */
export function thrownText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const next = thrown instanceof FieldwiseError ? thrown.next : undefined;
  return `${thrown.name}: ${next === undefined ? thrown.message : `${sentence(thrown.message)} ${next}`}`;
}
