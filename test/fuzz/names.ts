import { randomInt } from 'node:crypto';

// Names are as long in each run as in the next; only letters that no value of the generator has alone.
const tagPattern = /\bf[g-z]{5}-/g;
const letters = 'ghijklmnopqrstuvwxyz';

/** The start of object names that nobody used before, such as `fkqwmz-`: one server serves many runs and reruns. */
export function freshTag(): string {
  return `f${Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')}-`;
}

/** A copy in which names begin with this tag, or with the same in each run: `f-`. */
export function retagged<T>(value: T, tag = 'f-'): T {
  return JSON.parse(JSON.stringify(value).replace(tagPattern, tag)) as T;
}
