import type { Json } from '../util/json.js';

/** A whole answer, as it came. */
export interface RawAnswer {
  readonly code: number;
  readonly text: string;
  /** `text` as JSON, or as it is where it is none; undefined where there is none. */
  readonly body: Json | undefined;
  /** False where the server says that `text` is JSON, and it is not, or where what must not be empty is. */
  readonly whole: boolean;
  /** It is JSON that is nested too deeply to be read; `body` is its text. */
  readonly deep: boolean;
  /** The headers of these names; empty where there is none. */
  readonly contentType: string;
  readonly encoding: string;
  readonly location: string;
  /** Seconds of the Retry-After header. */
  readonly retryAfter: number | undefined;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

/** An answer that was broken off, because it is larger than what was asked for can be. */
export class AnswerTooLarge extends Error {
  /** Bytes that an answer may have. */
  readonly largest: number;

  constructor(largest: number) {
    super(`the answer is larger than ${largest / 2 ** 20} MiB`);
    this.largest = largest;
  }
}

/** The code of NoAnswer where an answer came, but too slowly. */
export const slowAnswer = 'SLOW_ANSWER';
