import { maskSecret, SecretMasker } from '../../engine/secrets/secret-masker.js';
import { type OwnedField, ownedFields } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';

/** Returns the owned fields of a live object, without values of Secrets. */
export function shownFields(live: JsonObject): readonly OwnedField[] {
  const secrets = new SecretMasker([live]);
  return ownedFields(maskSecret(live) as JsonObject).map(({ value, ...field }) => ({
    ...field,
    ...(value === undefined ? {} : { value: secrets.maskJson(value) }),
  }));
}
