import { objectText } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { labelValueErrors, qualifiedNameErrors } from '../../util/name-text.js';
import type { MergedIntent } from './merged-intent.js';

/**
 * Checks that a server takes the labels of an object and the names of its annotations, for the reason of `checkName`.
 *
 * @throws FieldwiseError `intent-invalid`.
 */
export function checkLabels({ identity, object, declared }: Pick<MergedIntent, 'identity' | 'object' | 'declared'>): void {
  const { labels, annotations } = object.metadata;
  const [first] = [...labelProblems(labels), ...annotationProblems(annotations)];
  if (first === undefined) return;
  const { field, what, reason } = first;
  throw new FieldwiseError('intent-invalid', 'usage', `${what}: ${reason} (${field})`, {
    location: { ...declared[0]?.location, object: objectText(identity), field },
    next: 'Correct it: the server would refuse the object.',
  });
}

interface Problem {
  readonly field: string;
  readonly what: string;
  readonly reason: string;
}

function labelProblems(labels: Json | undefined): readonly Problem[] {
  const field = '.metadata.labels';
  return entriesOf(labels).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((reason) => ({ field, what: `No label can be named ${JSON.stringify(key)}`, reason })),
    ...(typeof value === 'string' ? labelValueErrors(value) : []).map((reason) => ({
      field,
      what: `The label ${key} cannot have the value ${JSON.stringify(value)}`,
      reason,
    })),
  ]);
}

/** The server validates the names of annotations in lower case. */
function annotationProblems(annotations: Json | undefined): readonly Problem[] {
  return entriesOf(annotations).flatMap(([key]) =>
    qualifiedNameErrors(key.toLowerCase()).map((reason) => ({
      field: '.metadata.annotations',
      what: `No annotation can be named ${JSON.stringify(key)}`,
      reason,
    })),
  );
}

function entriesOf(map: Json | undefined): readonly (readonly [string, Json | undefined])[] {
  return isJsonObject(map) ? Object.entries(map) : [];
}
