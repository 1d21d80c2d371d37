import { FieldwiseError } from '../src/util/error.js';

/** The most types of one run. The Kubernetes API has about 500 types; a thousand types take about a second. */
export const maxTypes = 10_000;
export const maxFields = 50_000;
/** The most characters of a field's path; each type stores the paths of its positions. */
const maxPathLength = 10_000;

const next =
  'Import fewer CRDs at a time, each group as a whole, into the same directory; if they are not that many, the schema is damaged or hostile';

/**
 * Counts types and fields while they are found, so that no schema uses unbounded memory or time.
 *
 * @throws FieldwiseError `schema-too-large`.
 */
export class BoundedCounts {
  #types = 0;
  #fields = 0;

  addType(subject: string): void {
    this.#types += 1;
    if (this.#types > maxTypes) throw tooLarge(`more than ${inWords(maxTypes)} types`, subject);
  }

  addField(subject: string, path: string): void {
    this.#fields += 1;
    if (this.#fields > maxFields) throw tooLarge(`more than ${inWords(maxFields)} fields`, subject);
    if (path.length > maxPathLength) throw tooLarge(`a field whose path has more than ${inWords(maxPathLength)} characters`, subject);
  }
}

function tooLarge(what: string, subject: string): FieldwiseError {
  return new FieldwiseError('schema-too-large', 'usage', `The schemas hold ${what}`, { location: { object: subject }, next });
}

function inWords(count: number): string {
  return count.toLocaleString('en-US');
}
