/** The process as the reader of documents sees it. */
export interface DocumentHost {
  readonly cwd: string;
  /**
   * Standard input.
   *
   * @default that of the process
   */
  readonly stdin?: AsyncIterable<Uint8Array>;
}
