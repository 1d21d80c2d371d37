import { type ApiResponse, apiResponse } from '../api/request.js';

export const plainText = 'text/plain; charset=utf-8';

/** Returns the response to a path that is outside of the API. Source: observed. */
export function pathNotFound(): ApiResponse {
  return { ...apiResponse(404, '404 page not found\n'), contentType: plainText };
}
