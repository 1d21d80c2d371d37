/** Returns a count with its noun: `1 object`, `2 objects`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
