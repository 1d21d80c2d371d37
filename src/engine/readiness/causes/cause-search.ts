import type { SecretMasker } from '../../secrets/secret-masker.js';
import type { DeclaredFields } from './declared-fields.js';
import type { OptionalReads } from './optional-reads.js';
import type { Symptom } from './symptom.js';

/** The parts that the searches for causes of one run share. */
export interface CauseSearch {
  readonly reads: OptionalReads;
  readonly declared: DeclaredFields;
  readonly secrets: SecretMasker;
}

/** The best explanation at some moment. */
export interface Explanation {
  readonly symptom: Symptom;
  readonly certain: boolean;
}
