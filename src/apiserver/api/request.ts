import { parseExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';
import type { User } from './user.js';

/** A request to the server, through a socket or in process. */
export interface ApiRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path without the query, as sent: with its escapes. */
  readonly path: string;
  /** Query parameters. */
  readonly query: URLSearchParams;
  /** Header values by lower-case name. Several values of an `Impersonate-` header are separated by line breaks. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Body as text, or as bytes for a media type that is not text. */
  readonly body?: string | Uint8Array;
  /**
   * The user who sends it.
   *
   * @default the administrator
   */
  readonly user?: User;
  /** Handled on this thread and without a pause, however long its body is. @default false */
  readonly inOneGo?: boolean;
}

/** The response to a request. */
export interface ApiResponse {
  /** Status code of HTTP. */
  readonly code: number;
  /** The body, parsed. */
  readonly body: Json;
  /** A large body as JSON instead of `body`, on its way from another thread to a socket; a response in process has none. */
  readonly json?: string;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  /** Value of the Content-Type header, if it is not `mediaType`. */
  readonly contentType?: string;
  /**
   * The serialization that the client accepts.
   *
   * @default 'application/json'
   */
  readonly mediaType?: 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';
  /** The body as bytes, for a media type that is sent as it is. */
  readonly bytes?: Uint8Array;
  /** Headers beside those that every response has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Present for a watch: starts it. `send` receives events until the returned function or `end` is called. */
  readonly watch?: (send: (event: Json) => void, end: () => void) => () => void;
}

/** Returns the body of a response, parsed. */
export function bodyOf({ body, json }: ApiResponse): Json {
  return json === undefined ? body : parseExactJson(json);
}

/** Creates a response. */
export function apiResponse(code: number, body: Json, warnings: readonly string[] = []): ApiResponse {
  return { code, body, warnings };
}
