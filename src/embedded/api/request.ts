import type { Json } from '../../util/json.js';
import type { User } from '../authentication/user.js';

/** A request, received through a socket or in process. */
export interface ApiRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path without the query, as sent. */
  readonly path: string;
  /** Query parameters. */
  readonly query: URLSearchParams;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Body as text. */
  readonly body?: string;
  /** The user who makes the request. @default the administrator */
  readonly user?: User;
}

/** A response, sent through a socket or returned in process. */
export interface ApiResponse {
  /** HTTP status code. */
  readonly code: number;
  /** Body as JSON, or a string for another content type. A Status object if the request was refused. */
  readonly body: Json;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  /** @default 'application/json' */
  readonly contentType?: string;
  /** Starts a watch and returns a function that stops it; events are passed to `send`, and `end` is called at the timeout. */
  readonly watch?: (send: (event: Json) => void, end: () => void) => () => void;
}

/** Creates a response. */
export function apiResponse(code: number, body: Json, warnings: readonly string[] = []): ApiResponse {
  return { code, body, warnings };
}
