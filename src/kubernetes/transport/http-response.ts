import type { Json } from '../../util/json.js';

/** A whole answer, as it came. */
export interface HttpResponse {
  readonly code: number;
  readonly text: string;
  /** `text` as JSON, or as it is where it is none; undefined where there is none. */
  readonly body: Json | undefined;
  /** False where the server says that `text` is JSON, and it is not, or where what must not be empty is. */
  readonly isComplete: boolean;
  /** It is JSON that is nested too deeply to be read; `body` is its text. */
  readonly isTooDeep: boolean;
  /** The headers of these names; empty where there is none. */
  readonly contentType: string;
  readonly encoding: string;
  readonly location: string;
  /** Seconds of the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

/** An answer that was broken off, because it is larger than what was asked for can be. */
export class ResponseTooLarge extends Error {
  /** Bytes that an answer may have. */
  readonly maxBytes: number;

  constructor(largest: number) {
    super(`the answer is larger than ${largest / 2 ** 20} MiB`);
    this.maxBytes = largest;
  }
}

/** The code of NoAnswer where an answer came, but too slowly. */
export const slowResponse = 'SLOW_RESPONSE';
