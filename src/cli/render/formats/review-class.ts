import { pluralize } from '../../../util/pluralize.js';
import type { RecordedObject } from './recorded-run.js';

/** Why a reviewer looks at an object, the heaviest first: the risks, with the changes of own fields that a reviewer wants to see apart. */
export const reviewClasses = ['blocked', 'risky', 'seen', 'skipped', 'own', 'unchanged'] as const;

export type ReviewClass = (typeof reviewClasses)[number];

/** Returns the class of an object. */
export function reviewClassOf({ risk, sensitive }: Pick<RecordedObject, 'risk' | 'sensitive'>): ReviewClass {
  if (risk !== 'harmless') return risk;
  return sensitive().length > 0 ? 'seen' : 'own';
}

/** Groups objects by their class. */
export function byReviewClass(objects: readonly RecordedObject[]): Readonly<Record<ReviewClass, readonly RecordedObject[]>> {
  const groups = Object.fromEntries(reviewClasses.map((name) => [name, [] as RecordedObject[]])) as Record<ReviewClass, RecordedObject[]>;
  for (const object of objects) groups[reviewClassOf(object)].push(object);
  return groups;
}

/** Formats a number of objects of a class, such as `3 objects, own fields only`. */
export function reviewClassText(name: ReviewClass, objects: number): string {
  if (name === 'own') return `${pluralize(objects, 'object')}, own fields only`;
  if (name === 'seen') return `${pluralize(objects, 'object')}, risky in own fields only`;
  return pluralize(objects, `${name} object`);
}
