import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { certificateProblem } from '../validation/pem-rules.js';

const decisions = ['Approved', 'Denied'];
const final = [...decisions, 'Failed'];

/**
 * Returns a CertificateSigningRequest with what a request can change: its metadata, through `approval` its conditions, and through
 * `status` its status. `now` is the time as text. Source: Kubernetes documentation "Certificates and Certificate Signing Requests"; responses of a server.
 */
export function preparedSigningRequest(object: JsonObject, live: JsonObject, subresource: string | undefined, now: string): JsonObject {
  const { spec } = live;
  if (subresource === undefined) return { ...object, spec, status: live.status };
  const status = isJsonObject(object.status) ? object.status : {};
  const { conditions: _, ...before } = (live.status ?? {}) as JsonObject;
  return { ...object, spec, status: { ...(subresource === 'approval' ? before : status), ...withTimes(status.conditions, live, now) } };
}

function conditionsOf({ status }: JsonObject): readonly JsonObject[] {
  return isJsonObject(status) ? listOf(status.conditions) : [];
}

function withTimes(conditions: Json | undefined, live: JsonObject, now: string): JsonObject {
  if (!Array.isArray(conditions)) return {};
  const timed = listOf(conditions).map((condition) => {
    const before = conditionsOf(live).find(({ type, status }) => type === condition.type && status === condition.status);
    const lastTransitionTime = condition.lastTransitionTime ?? before?.lastTransitionTime ?? now;
    return { ...condition, lastUpdateTime: condition.lastUpdateTime ?? now, lastTransitionTime };
  });
  return { conditions: timed as Json };
}

/** Returns the errors of an update: a decision stays, and only `approval` makes one. */
export function signingRequestErrors(object: JsonObject, live: JsonObject, subresource: string | undefined): readonly FieldError[] {
  const conditions = conditionsOf(object);
  const types = conditions.map(({ type }) => String(type));
  const before = conditionsOf(live).map(({ type }) => String(type));
  const field = 'status.conditions';
  const removed = final.filter((type) => before.includes(type) && !types.includes(type));
  const added = subresource === 'approval' ? [] : decisions.filter((type) => types.includes(type) && !before.includes(type));
  return [
    ...conditions.flatMap((condition, index) => conditionErrors(condition, `${field}[${index}]`)),
    ...(decisions.every((type) => types.includes(type))
      ? [
          invalidValue(
            field,
            types.findLast((type) => decisions.includes(type)),
            'Approved and Denied conditions are mutually exclusive',
          ),
        ]
      : []),
    ...removed.map((type) => forbiddenField(field, `updates may not remove a condition of type ${JSON.stringify(type)}`)),
    ...added.map((type) => forbiddenField(field, `updates may not add a condition of type ${JSON.stringify(type)}`)),
    ...(subresource === 'status' ? certificateErrors(structOf(object.status).certificate, structOf(live.status).certificate) : []),
  ];
}

function conditionErrors({ type, status = '' }: JsonObject, field: string): readonly FieldError[] {
  const isKnown = ['False', 'True', 'Unknown'].includes(String(status));
  const errors = type ? [] : [required(`${field}.type`)];
  if (final.includes(String(type))) return status === 'True' ? errors : [...errors, unsupported(`${field}.status`, status, ['True'])];
  if (status === '') return [...errors, required(`${field}.status`)];
  return isKnown ? errors : [...errors, unsupported(`${field}.status`, status, ['False', 'True', 'Unknown'])];
}

function certificateErrors(certificate: Json = '', before: Json = ''): readonly FieldError[] {
  if (certificate === before) return [];
  const field = 'status.certificate';
  const problem = certificate === '' ? undefined : certificateProblem(Buffer.from(String(certificate), 'base64').toString('latin1'));
  return [
    ...(problem === undefined ? [] : [invalidValue(field, '<certificate data>', problem)]),
    ...(before === '' ? [] : [forbiddenField(field, 'updates may not modify existing certificate content')]),
  ];
}
