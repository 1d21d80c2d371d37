/** Lets those who come wait while it is closed. */
export class Gate {
  #closed: { readonly opened: Promise<void>; readonly open: () => void } | undefined;

  close(): void {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#closed = { opened, open };
  }

  open(): void {
    this.#closed?.open();
    this.#closed = undefined;
  }

  /** Resolves when it is open. @returns whether it was closed. */
  async pass(): Promise<boolean> {
    const closed = this.#closed;
    await closed?.opened;
    return closed !== undefined;
  }
}
