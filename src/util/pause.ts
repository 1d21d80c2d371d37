import { setMaxListeners } from 'node:events';
import { FieldwiseError } from './error.js';

/** Waits. An abort ends the wait immediately. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new FieldwiseError('interrupted', 'interrupted', 'Interrupted'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) return stop();
    if (signal === undefined) return;
    setMaxListeners(0, signal); // Node warns of more than ten waits at once, which a busy server causes, as of a leak
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Calls a function at growing intervals until it returns a result or the timeout expires. */
export async function poll<T>(
  timeoutSeconds: number,
  signal: AbortSignal | undefined,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = Date.now() + timeoutSeconds * 1000;
  for (let delay = 100; ; delay = Math.min(delay * 1.5, 2_000)) {
    const result = await check();
    if (result !== undefined) return result;
    const left = end - Date.now();
    if (left <= 0) return undefined;
    await pause(Math.min(delay, left), signal);
  }
}
