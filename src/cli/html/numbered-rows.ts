/** Numbers texts in the order in which they are first asked for. */
export class NumberedRows<T> {
  readonly #positions = new Map<string, number>();
  readonly rows: T[] = [];

  /** Returns the position of a row, which is made when its key is new. */
  position(key: string, make: () => T): number {
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    const position = this.rows.push(make()) - 1;
    this.#positions.set(key, position);
    return position;
  }
}
