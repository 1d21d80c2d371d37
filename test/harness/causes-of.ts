import type { ApiCallError } from './api-client.js';

/** Returns the causes by which a server refuses a request, in its order, as `field: message`; none if it accepts the request. */
export async function causesOf(answer: Promise<unknown>): Promise<readonly string[]> {
  const refused = await answer.then(
    () => undefined,
    (thrown: ApiCallError) => thrown,
  );
  const causes = (refused?.body.details?.causes ?? []) as readonly { readonly field: string; readonly message: string }[];
  return causes.map(({ field, message }) => `${field}: ${message}`);
}
