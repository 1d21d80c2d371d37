import type { ApiRequest, ApiResponse } from '../apiserver/index.js';

/** The part of a server in this process that handles requests. */
export interface RequestHandler {
  handle(request: ApiRequest): Promise<ApiResponse>;
}

/** Returns the query of a request without the parameters that have no value. */
export function parametersOf(query: Readonly<Record<string, string | undefined>>): URLSearchParams {
  return new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
