import type { Json } from '../../../util/json.js';
import { qualifiedNameErrors } from '../../../util/name-text.js';
import { duplicate, type FieldError, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, repeatsOf } from '../../api/json-access.js';
import { nonNegativeErrors } from '../../api/name-rules.js';

const statuses = ['False', 'True', 'Unknown'];
const reasonPattern = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const reasonText =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** Validates a list of conditions. Source: Kubernetes API reference, Condition; messages as observed. */
export function conditionErrors(conditions: Json | undefined, path: string): readonly FieldError[] {
  const all = listOf(conditions);
  const repeats = repeatsOf(all.map(({ type }) => type ?? ''));
  return all.flatMap(({ type = '', status = '', observedGeneration, lastTransitionTime, reason = '', message }, index) => {
    const at = `${path}[${index}]`;
    return [
      ...qualifiedNameErrors(String(type)).map((text) => invalidValue(`${at}.type`, type, text)),
      ...(repeats[index] ? [duplicate(`${at}.type`, type)] : []),
      ...(statuses.includes(String(status)) ? [] : [unsupported(`${at}.status`, status, statuses)]),
      ...nonNegativeErrors(`${at}.observedGeneration`, observedGeneration),
      ...(lastTransitionTime ? [] : [required(`${at}.lastTransitionTime`)]),
      ...reasonErrors(`${at}.reason`, String(reason)),
      ...longerThan(32768, `${at}.message`, message),
    ];
  });
}

function reasonErrors(field: string, reason: string): readonly FieldError[] {
  if (reason === '') return [required(field)];
  return [...(reasonPattern.test(reason) ? [] : [invalidValue(field, reason, reasonText)]), ...longerThan(1024, field, reason)];
}

function longerThan(bytes: number, field: string, text: Json | undefined): readonly FieldError[] {
  const isLonger = typeof text === 'string' && Buffer.byteLength(text) > bytes;
  return isLonger ? [{ type: 'tooLong', field, detail: `may not be more than ${bytes} bytes` }] : [];
}
