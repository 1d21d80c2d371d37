import type { Json } from '../../util/json.js';
import type { User } from '../authentication/user.js';

/** A request, received through a socket or in process. */
export interface ApiRequest {
  readonly method: string;
  /** Path without the query, as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /** The user who makes the request. @default the administrator */
  readonly user?: User;
}

export interface ApiResponse {
  readonly code: number;
  readonly body: Json;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  readonly contentType?: string;
  /** Starts a watch and returns a function that stops it; events are passed to `send`, and `end` is called at the timeout. */
  readonly watch?: (send: (event: Json) => void, end: () => void) => () => void;
}

export function apiResponse(code: number, body: Json, warnings: readonly string[] = []): ApiResponse {
  return { code, body, warnings };
}
