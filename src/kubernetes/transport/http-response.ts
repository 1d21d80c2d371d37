import type { Json } from '../../util/json.js';

/** A complete response, before any interpretation. */
export interface HttpResponse {
  readonly code: number;
  readonly text: string;
  /** `text` parsed as JSON, or `text` itself if it is not JSON; undefined if it is empty. */
  readonly body: Json | undefined;
  /** False if the content type is JSON and `text` is not, or if `text` is empty and must not be. */
  readonly isComplete: boolean;
  /** True if `text` is JSON that is nested too deeply to be parsed; then `body` is `text`. */
  readonly isTooDeep: boolean;
  /** The media type of the Content-Type header; empty if there is none. */
  readonly contentType: string;
  /** The Content-Encoding header; empty if there is none. */
  readonly encoding: string;
  /** The Location header; empty if there is none. */
  readonly location: string;
  /** The Retry-After header, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** The Date header; absent if there is none. */
  readonly date?: string | undefined;
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
}

/** The error for a response that was aborted because it is larger than the requested content can be. */
export class ResponseTooLarge extends Error {
  /** The maximum size in bytes. */
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the response is larger than ${maxBytes / 2 ** 20} MiB`);
    this.maxBytes = maxBytes;
  }
}

/** The code of a TransportError for a response that arrived too slowly. */
export const slowResponse = 'SLOW_RESPONSE';
