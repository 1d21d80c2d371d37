import { groupOf } from '../../util/api-version.js';
import type { JsonObject } from '../../util/json.js';
import { type FieldError, fieldErrorText } from '../api/field-error.js';
import type { Backend } from '../registry/backend.js';
import type { ReviewedWrite } from '../registry/reviewed-write.js';
import type { DefinitionReview } from './definition-review.js';

/**
 * Validates a custom resource that nobody sends by its stored definition: types, bounds and rules, as a create or update of the server does.
 * The code for rules must be loaded.
 */
export function reviewByDefinition({ catalog }: Backend, { apiVersion, kind, object, oldObject }: ReviewedWrite): DefinitionReview {
  const resource = catalog.all().find((each) => each.strategy.custom && each.kind === kind && each.group === groupOf(apiVersion));
  if (resource === undefined || object === null) return { definition: undefined, errors: [], warnings: [] };
  const { strategy, versions, plural, group } = resource;
  const definition = `${plural}.${group}`;
  if (![...versions.values()].some((version) => version.apiVersion === apiVersion))
    return { definition, errors: [{ text: `it does not serve apiVersion ${apiVersion}`, field: '' }], warnings: [] };
  const decoded = (stored: JsonObject) => strategy.decode(stored, apiVersion);
  const update = oldObject === null ? undefined : { live: decoded(oldObject), subresource: undefined, explicitEmpty: [] };
  const reviewed = decoded(object);
  return { definition, errors: strategy.validate(reviewed, update).map(errorOf), warnings: strategy.warnings(reviewed, update) };
}

function errorOf(error: FieldError): DefinitionReview['errors'][number] {
  return { text: fieldErrorText(error), field: error.field === '<nil>' ? '' : error.field };
}
