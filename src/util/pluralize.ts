/** A number with its noun, which gets an `s` where it is not one: `1 object`, `2 objects`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
