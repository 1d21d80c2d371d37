import { ConversionError } from '../../merge/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { internalError } from '../api/status-error.js';
import type { ReviewCaller } from '../webhooks/call-reviewer.js';
import { type ConversionWebhook, callConversionWebhook } from './conversion-webhook.js';

// Code that converts objects is synchronous, and the call of a webhook is not. So a computation that needs an unknown conversion is given up,
// the webhook is called, and the computation runs again, until it knows all conversions. The reason is in docs/decisions/73.

/** A computation needs a conversion that is not known. `withConversions` makes it; never reaches a client. */
export class ConversionNeeded extends Error {
  override readonly name = 'ConversionNeeded';

  constructor(
    readonly webhook: ConversionWebhook,
    readonly object: JsonObject,
    readonly apiVersion: string,
  ) {
    super(`a webhook has to convert the object to ${apiVersion}`);
  }
}

export interface ConversionOptions {
  /** Converts stored objects again that were converted before, as a read from etcd does. @default false: as a read from the watch cache */
  readonly fresh?: boolean;
}

/** The conversions that one computation needs, by webhook, version and content. A failed one is the error. */
class Conversions {
  readonly fresh: boolean;
  readonly #known = new Map<ConversionWebhook, Map<string, JsonObject | ConversionError>>();

  constructor({ fresh = false }: ConversionOptions) {
    this.fresh = fresh;
  }

  /** @throws ConversionError, ConversionNeeded */
  convert(webhook: ConversionWebhook, object: JsonObject, apiVersion: string): JsonObject {
    const known = this.#known.get(webhook)?.get(conversionKey(object, apiVersion));
    if (known === undefined) throw new ConversionNeeded(webhook, object, apiVersion);
    if (known instanceof ConversionError) throw known;
    return known;
  }

  async make(caller: ReviewCaller, { webhook, object, apiVersion }: ConversionNeeded): Promise<void> {
    const known = this.#known.get(webhook) ?? new Map<string, JsonObject | ConversionError>();
    this.#known.set(webhook, known);
    try {
      known.set(conversionKey(object, apiVersion), await callConversionWebhook(caller, webhook, object, apiVersion));
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      known.set(conversionKey(object, apiVersion), error);
    }
  }

  run<Result>(compute: () => Result): Result {
    const outer = current;
    current = this;
    try {
      return compute();
    } finally {
      current = outer;
    }
  }
}

/** Those of the computation that runs. A computation is synchronous, so that no other one sees them. */
let current: Conversions | undefined;

/** Converts an object within a computation. @throws ConversionError, ConversionNeeded */
export function convertByWebhook(webhook: ConversionWebhook, object: JsonObject, apiVersion: string): JsonObject {
  if (object.apiVersion === apiVersion) return object;
  if (isEmpty(object)) return { ...object, apiVersion };
  if (current === undefined) throw new ConversionNeeded(webhook, object, apiVersion);
  return current.convert(webhook, object, apiVersion);
}

/** True if the computation takes stored objects as they were converted before. */
export function reusesConversions(): boolean {
  return current?.fresh !== true;
}

/**
 * Runs a synchronous computation, and again after each conversion by a webhook that it needs. It must have no effect but warnings of the
 * target, and convert the same objects each time.
 *
 * @throws StatusError 500 if a conversion fails
 */
export function withConversions<Result>(
  caller: ReviewCaller,
  { warnings }: { readonly warnings: string[] },
  compute: () => Result,
  options: ConversionOptions = {},
): Result | Promise<Result> {
  const conversions = new Conversions(options);
  const count = warnings.length;
  try {
    return conversions.run(compute);
  } catch (error) {
    if (error instanceof ConversionNeeded) return repeat(error);
    throw readable(error);
  }

  async function repeat(first: ConversionNeeded): Promise<Result> {
    for (let needed = first; ; ) {
      await conversions.make(caller, needed);
      warnings.length = count;
      try {
        return conversions.run(compute);
      } catch (error) {
        if (!(error instanceof ConversionNeeded)) throw readable(error);
        needed = error;
      }
    }
  }
}

function readable(error: unknown): unknown {
  return error instanceof ConversionError ? internalError(error.message) : error;
}

/** Returns true for an object without content: such as represents an absent one. */
function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).every((name) => name === 'apiVersion' || name === 'kind');
}

function conversionKey(object: JsonObject, apiVersion: string): string {
  return `${apiVersion} ${stringifyExactJson(object)}`;
}
