/** One line at the bottom of a terminal that says what goes on, below the lines that stay. */
export class LiveLine {
  readonly #write: (text: string) => void;
  readonly #columns: number;
  #shown = '';

  constructor(write: (text: string) => void, columns: number) {
    this.#write = write;
    this.#columns = columns;
  }

  /** Lines that stay; the live one comes below them again. */
  print(text: string): void {
    this.#write(this.#shown === '' ? text : `${clear}${text}${this.#shown}`);
  }

  /** What goes on now; nothing, where the text is empty. */
  show(text: string): void {
    const line = text.length < this.#columns ? text : `${text.slice(0, Math.max(this.#columns - 2, 0))}…`;
    if (line === this.#shown) return;
    this.#write(`${this.#shown === '' ? '' : clear}${line}`);
    this.#shown = line;
  }
}

const clear = '\r\u001b[K';
