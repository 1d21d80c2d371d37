/** Returns true if a string is valid Unicode: servers reject a lone surrogate, which has no UTF-8 encoding. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** Returns the string with U+FFFD for each lone surrogate, as servers read it. */
export function toWellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
