import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type FieldError, invalidValue, shown, unsupported } from '../api/field-error.js';
import { badRequest, invalid } from '../api/status-error.js';
import { wholeNumber } from './write-options.js';

/** The options of a DELETE. Source: Kubernetes API reference, DeleteOptions. */
export interface DeleteOptions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagationPolicy: string | undefined;
  /** True if the request says by `orphanDependents: false` that dependents are deleted. */
  readonly isCascading: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly dryRun: boolean;
  /** As admission sees them: of the version of admission, whatever was sent, without what is empty or unknown. */
  readonly decoded: JsonObject;
}

/** Reads the query of a DELETE without a body as the object that a body would hold. @throws StatusError 400 */
export function queryDeleteOptions(query: URLSearchParams): JsonObject {
  const gracePeriodSeconds = wholeNumber(query, 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const orphans = query.get('orphanDependents');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(orphans ? { orphanDependents: orphans === 'true' || orphans === '1' } : {}),
    ...(query.has('dryRun') ? { dryRun: query.getAll('dryRun') } : {}),
  };
}

/** Checks the options of a DELETE. @throws StatusError 400, 422 */
export function checkedDeleteOptions(sent: JsonObject): DeleteOptions {
  refuseTypes(sent);
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun, preconditions } = sent;
  const errors = optionErrors(sent);
  if (errors.length > 0) throw invalid('DeleteOptions', 'meta.k8s.io', '', errors);
  const { uid, resourceVersion } = isJsonObject(preconditions) ? preconditions : {};
  const cascade = orphanDependents === true ? 'Orphan' : orphanDependents === false ? 'Background' : undefined;
  return {
    uid: uid as string | undefined,
    resourceVersion: resourceVersion as string | undefined,
    propagationPolicy: (propagationPolicy as string | undefined) ?? cascade,
    isCascading: orphanDependents === false,
    gracePeriodSeconds: (gracePeriodSeconds ?? undefined) as number | undefined,
    dryRun: Array.isArray(dryRun) && dryRun.length > 0,
    decoded: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...Object.fromEntries(Object.entries(sent).filter(isKept)) },
  };
}

function isKept([name, value]: readonly [string, unknown]): boolean {
  return Object.hasOwn(types, name) && value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

const types: Readonly<Record<string, readonly [is: string, go: string]>> = {
  gracePeriodSeconds: ['number', 'int64'],
  preconditions: ['object', 'v1.Preconditions'],
  orphanDependents: ['boolean', 'bool'],
  propagationPolicy: ['string', 'v1.DeletionPropagation'],
  dryRun: ['array', '[]string'],
};

function refuseTypes(sent: JsonObject): void {
  for (const [name, value] of Object.entries(sent)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    const found = Array.isArray(value) ? 'array' : typeof value;
    if (type === undefined || value === null || found === type[0]) continue;
    throw badRequest(
      `json: cannot unmarshal ${found === 'boolean' ? 'bool' : found} into Go struct field DeleteOptions.${name} of type ${type[1]}`,
    );
  }
}

function optionErrors({ propagationPolicy, orphanDependents, dryRun }: JsonObject): readonly FieldError[] {
  const policies = ['Foreground', 'Background', 'Orphan'];
  const isSet = propagationPolicy !== undefined && propagationPolicy !== null;
  const errors: FieldError[] = [];
  if (isSet && orphanDependents !== undefined && orphanDependents !== null)
    errors.push(invalidValue('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  if (isSet && !policies.includes(String(propagationPolicy)))
    errors.push(unsupported('propagationPolicy', propagationPolicy, [...policies, 'nil']));
  if (Array.isArray(dryRun) && (dryRun as readonly Json[]).some((each) => each !== 'All'))
    errors.push({ ...unsupported('dryRun', undefined, ['All']), value: shown(dryRun as Json) });
  return errors;
}
