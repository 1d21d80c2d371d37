const loneSurrogate = /\p{Surrogate}/u;

/** Whether a string is valid Unicode: a lone half of a surrogate pair has no encoding, and no server takes it. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}
