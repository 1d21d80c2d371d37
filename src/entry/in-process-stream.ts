import { ApiError, type StreamRequest } from '../kubernetes/index.js';
import type { Json } from '../util/json.js';
import type { Machine } from '../util/machine.js';
import { parametersOf, type RequestHandler } from './request-handler.js';

/**
 * Sends a GET that watches to a server in this process, and yields its events until the server ends them. As a connection does, it keeps the
 * process alive until then; the end of the loop, however it comes, ends the watch.
 *
 * @throws ApiError if the server rejects the request; the reason of `signal` when it aborts; a TimeoutError if the server does not end the
 *   watch in time.
 */
export async function* inProcessStream(server: RequestHandler, request: StreamRequest, machine: Machine): AsyncGenerator<Json> {
  const { path, query, signal, timeoutSeconds } = request;
  signal.throwIfAborted();
  const response = await server.handle({
    method: 'GET',
    path,
    query: parametersOf(query),
    headers: { accept: 'application/json', 'user-agent': 'fieldwise' },
  });
  if (response.watch === undefined) throw new ApiError('GET', path, response.code, response.body);
  let events: Json[] = [];
  let hasEnded = false;
  let hasTimedOut = false;
  let wake = () => {};
  const interrupt = () => wake();
  signal.addEventListener('abort', interrupt, { once: true });
  const cancelDeadline = machine.after(timeoutSeconds * 1000, () => {
    hasTimedOut = true;
    wake();
  });
  const stop = response.watch(
    (event) => {
      events.push(event);
      wake();
    },
    () => {
      hasEnded = true;
      wake();
    },
  );
  try {
    for (;;) {
      signal.throwIfAborted();
      const arrived = events;
      events = [];
      for (const event of arrived) {
        yield event;
        signal.throwIfAborted();
      }
      if (events.length > 0) continue;
      if (hasEnded) return;
      if (hasTimedOut) throw new DOMException(`The server has not ended the watch within ${timeoutSeconds} s`, 'TimeoutError');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stop();
    cancelDeadline();
    signal.removeEventListener('abort', interrupt);
  }
}
