import type { Json, JsonObject } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf, structOf } from '../../api/json-access.js';

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];
const maxParameters = 512;

/** Validates a StorageClass. Source: Kubernetes documentation "Storage Classes"; messages as observed. */
export function storageClassErrors(object: JsonObject): readonly FieldError[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies } = object;
  const names = Object.keys(structOf(parameters));
  const terms = listOf(allowedTopologies);
  const repeats = repeatsOf(terms.map(termText));
  return [
    ...(provisioner ? named('provisioner', String(provisioner).toLowerCase(), provisioner) : [required('provisioner')]),
    ...(names.length > maxParameters
      ? [{ type: 'tooLong', field: 'parameters', detail: `may not be more than ${maxParameters} bytes` } as const]
      : []),
    ...(names.includes('') ? [invalidValue('parameters', '', 'field can not be empty.')] : []),
    ...(reclaimPolicy && !reclaimPolicies.includes(String(reclaimPolicy))
      ? [unsupported('reclaimPolicy', reclaimPolicy, reclaimPolicies)]
      : []),
    ...(bindingModes.includes(String(volumeBindingMode)) ? [] : [unsupported('volumeBindingMode', volumeBindingMode, bindingModes)]),
    ...terms.flatMap((term, index) => {
      const at = `allowedTopologies[${index}].matchLabelExpressions`;
      const isRepeated = repeats[index] || listOf(term.matchLabelExpressions).length === 0;
      return [...expressionErrors(listOf(term.matchLabelExpressions), at), ...(isRepeated ? [duplicate(at, '')] : [])];
    }),
  ];
}

function named(field: string, name: string, value: Json): readonly FieldError[] {
  return qualifiedNameErrors(name).map((text) => invalidValue(field, value, text));
}

/** Returns a text that is equal for terms that allow the same topologies. */
function termText({ matchLabelExpressions }: JsonObject): string {
  const expressions = listOf(matchLabelExpressions).map(({ key, values }) => [key, [...((values ?? []) as readonly string[])].toSorted()]);
  return JSON.stringify(expressions.map((each) => JSON.stringify(each)).toSorted());
}

function expressionErrors(expressions: readonly JsonObject[], at: string): readonly FieldError[] {
  const repeatedKeys = repeatsOf(expressions.map(({ key }) => key ?? ''));
  return expressions.flatMap(({ key, values }, index) => {
    const field = `${at}[${index}]`;
    const texts = Array.isArray(values) ? (values as readonly Json[]) : [];
    const repeats = repeatsOf(texts);
    return [
      ...(texts.length === 0 ? [required(`${field}.values`)] : []),
      ...texts.flatMap((text, number) => (repeats[number] ? [duplicate(`${field}.values[${number}]`, text)] : [])),
      ...named(`${field}.key`, String(key ?? ''), key ?? ''),
      ...(repeatedKeys[index] ? [duplicate(`${field}.key`, key)] : []),
    ];
  });
}
