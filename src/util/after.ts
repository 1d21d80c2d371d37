/**
 * Calls back after a time, unless the process ends before: it does not keep the process alive.
 *
 * @returns a function that cancels it.
 */
export function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
