import { stringifyExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';
import type { MediaType } from './negotiate.js';

/** Serializes response bodies and watch events in one media type. */
export interface Encoder {
  /** Value of the Content-Type header. */
  readonly mediaType: string;
  encode(body: Json): string | Uint8Array;
  /** Serializes an event with the mark that separates it from the next. */
  encodeEvent(event: Json): string | Uint8Array;
}

export const jsonEncoder: Encoder = {
  mediaType: 'application/json',
  encode: (body) => stringifyExactJson(body),
  encodeEvent: (event) => `${stringifyExactJson(event)}\n`,
};

/** Returns the encoder of a media type; loads it at the first use. */
export async function encoderFor(mediaType: MediaType): Promise<Encoder> {
  switch (mediaType) {
    default:
      return jsonEncoder;
  }
}
