import { stringifyExactJson } from '../../util/exact-json.js';
import type { Json, JsonObject } from '../../util/json.js';
import { latest } from '../../util/latest.js';
import type { ApiRequest } from '../api/request.js';
import { isTrue } from '../registry/write-options.js';
import { type MediaType, protobufType } from './negotiate.js';

/** Serializes response bodies and watch events in one media type. */
export interface Encoder {
  /** Value of the Content-Type header. */
  readonly mediaType: string;
  /** Value of the Content-Type header of a watch. */
  readonly eventMediaType: string;
  encode(body: Json): string | Uint8Array;
  /** Serializes an event with the mark that separates it from the next. */
  encodeEvent(event: Json): string | Uint8Array;
}

/** All watchers of a kind are sent the same event. */
const eventLine = latest(
  (event: JsonObject): Uint8Array => Buffer.from(`${stringifyExactJson(event)}\n`),
  (left, right) => left.object === right.object && left.type === right.type,
);

export const jsonEncoder: Encoder = {
  mediaType: 'application/json',
  eventMediaType: 'application/json',
  encode: (body) => stringifyExactJson(body),
  encodeEvent: (event) => eventLine(event as JsonObject),
};

/** JSON for people: indented. */
const prettyEncoder: Encoder = { ...jsonEncoder, encode: (body) => stringifyExactJson(body, 2) };

/** Returns true if a client wants JSON indented: it says so, or shows responses to people. Source: observed. */
export function wantsPretty({ query, headers }: Pick<ApiRequest, 'query' | 'headers'>): boolean {
  const pretty = query.get('pretty');
  return pretty ? isTrue(pretty) : /^(?:curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '');
}

/** Returns the encoder of a media type; loads it at the first use. */
export async function encoderFor(mediaType: MediaType = 'application/json', pretty = false): Promise<Encoder> {
  switch (mediaType) {
    case 'application/json':
      return pretty ? prettyEncoder : jsonEncoder;
    case 'application/yaml': {
      const { yamlText } = await import('./yaml-text.js');
      // No watch is served as YAML.
      return { mediaType, eventMediaType: mediaType, encode: yamlText, encodeEvent: yamlText };
    }
    case protobufType: {
      const { encodeEvent, encodeObject } = await import('./protobuf/envelope.js');
      return { mediaType, eventMediaType: `${mediaType};stream=watch`, encode: encodeObject, encodeEvent };
    }
  }
}
