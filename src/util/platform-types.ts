/**
 * What a program's compiler may not know without the types of a browser or of Node: empty here, so that it is there in any case, and
 * merged with the real one where there is one. The entries of the package bring this file along.
 */
declare global {
  // biome-ignore-start lint/suspicious/noEmptyInterface: merged with what the platform declares
  interface AbortSignal {}
  interface URL {}
  interface URLSearchParams {}
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
  // biome-ignore-end lint/suspicious/noEmptyInterface: as above
}

export type {};
