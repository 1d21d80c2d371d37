import type { Json } from '../../util/json.js';
import type { User } from '../authentication/user.js';

/** A request to the server, through a socket or in process. */
export interface ApiRequest {
  readonly method: string;
  /** Path without the query, as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /**
   * The user who sends it.
   *
   * @default the administrator
   */
  readonly user?: User;
}

/** The response to a request. */
export interface ApiResponse {
  /** Status code of HTTP. */
  readonly code: number;
  /** The body, parsed. */
  readonly body: Json;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  readonly contentType?: string;
  /** Present for a watch: starts it. `send` receives events until the returned function or `end` is called. */
  readonly watch?: (send: (event: Json) => void, end: () => void) => () => void;
}

export function apiResponse(code: number, body: Json, warnings: readonly string[] = []): ApiResponse {
  return { code, body, warnings };
}
