/**
 * Types that a program's compiler lacks without the types of a browser or of Node. They are empty here, and merge with the platform's
 * declarations if those exist. Every package entry loads this file.
 */
declare global {
  // biome-ignore-start lint/suspicious/noEmptyInterface: merged with the platform's declarations
  interface AbortSignal {}
  interface URL {}
  interface URLSearchParams {}
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
  // biome-ignore-end lint/suspicious/noEmptyInterface: as above
}

export type {};
