import type { Json } from '../../util/json.js';
import type { User } from '../authentication/user.js';

/** A request as it reaches the server, whether through a socket or in process. */
export interface ApiRequest {
  readonly method: string;
  /** Path without the query, as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /** Who asks; default: the administrator. */
  readonly user?: User;
}

export interface ApiResponse {
  readonly code: number;
  readonly body: Json;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  readonly contentType?: string;
  /** Of a watch: starts it; events go to `send` until the returned function is called or `end` was. */
  readonly watch?: (send: (event: Json) => void, end: () => void) => () => void;
}

export function apiResponse(code: number, body: Json, warnings: readonly string[] = []): ApiResponse {
  return { code, body, warnings };
}
