/** A destination of text: standard output or standard error. */
export interface TextStream {
  write(text: string): unknown;
}

const maxBufferedCharacters = 65_536;
const flushDelayMs = 50;

/**
 * Collects text for up to 50 ms and writes it at once, in order across streams: to write each line alone costs a system call and wakes the
 * reader of the pipe.
 */
export class BufferedOutput {
  readonly #waiting: { readonly stream: TextStream; text: string }[] = [];
  #length = 0;

  to(stream: TextStream): (text: string) => void {
    return (text) => {
      if (this.#waiting.length === 0) setTimeout(() => this.flush(), flushDelayMs).unref(); // does not keep the process alive
      const last = this.#waiting.at(-1);
      if (last?.stream === stream) last.text += text;
      else this.#waiting.push({ stream, text });
      this.#length += text.length;
      if (this.#length > maxBufferedCharacters) this.flush();
    };
  }

  /** Writes the collected text; must also be called at exit. */
  flush(): void {
    const waiting = this.#waiting.splice(0);
    this.#length = 0;
    for (const { stream, text } of waiting) stream.write(text);
  }
}
