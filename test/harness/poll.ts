const intervalMs = 20;

/**
 * Asks until the answer is neither undefined nor false, and returns it.
 *
 * @param what the event, for the error.
 * @throws Error when `seconds` have passed.
 */
export async function poll<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  seconds = 180,
): Promise<Answer> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`Not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
