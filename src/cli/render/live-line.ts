/** A line at the bottom of a terminal that shows the progress, below the printed lines. */
export class LiveLine {
  readonly #write: (text: string) => void;
  readonly #columns: number;
  #shown = '';

  constructor(write: (text: string) => void, columns: number) {
    this.#write = write;
    this.#columns = columns;
  }

  /** Prints lines above the live line, on the stream of the line or on another one. */
  print(text: string, write = this.#write): void {
    if (this.#shown === '') {
      write(text);
      return;
    }
    this.#write(clear);
    write(text);
    this.#write(this.#shown);
  }

  /** Replaces the text of the live line; an empty text removes the line. */
  show(text: string): void {
    const line = text.length < this.#columns ? text : `${text.slice(0, Math.max(this.#columns - 2, 0))}…`;
    if (line === this.#shown) return;
    this.#write(`${this.#shown === '' ? '' : clear}${line}`);
    this.#shown = line;
  }
}

const clear = '\r\u001b[K';
