/** Returns true for a text that a header may contain. Source: RFC 9110, 5.5. */
export function isSendable(text: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(text);
}
