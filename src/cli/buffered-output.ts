/** Where text goes: standard output or standard error. */
export interface TextStream {
  write(text: string): unknown;
}

const maxBufferedCharacters = 65_536; // characters that wait
const flushDelayMs = 50; // milliseconds that text waits, at most

/**
 * Writes what is told within a twentieth of a second at once, in the order in which it was told, across streams: a line at a time costs a
 * system call each, and wakes whoever reads the pipe.
 */
export class BufferedOutput {
  readonly #waiting: { readonly stream: TextStream; text: string }[] = [];
  #length = 0;

  to(stream: TextStream): (text: string) => void {
    return (text) => {
      if (this.#waiting.length === 0) setTimeout(() => this.flush(), flushDelayMs).unref(); // the end of the process does not wait for it
      const last = this.#waiting.at(-1);
      if (last?.stream === stream) last.text += text;
      else this.#waiting.push({ stream, text });
      this.#length += text.length;
      if (this.#length > maxBufferedCharacters) this.flush();
    };
  }

  /** Writes what waits; to be called at exit, too. */
  flush(): void {
    const waiting = this.#waiting.splice(0);
    this.#length = 0;
    for (const { stream, text } of waiting) stream.write(text);
  }
}
