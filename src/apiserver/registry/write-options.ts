import { quote } from '../../fields/index.js';
import { type FieldError, forbiddenField, required, unsupported } from '../api/field-error.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest, invalid } from '../api/status-error.js';

/** Query parameters of writes. Source: Kubernetes API reference, CreateOptions, UpdateOptions, PatchOptions. */
export interface WriteOptions {
  readonly manager: string;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
}

/** Reads the query parameters of a write. @throws StatusError 422 naming every invalid parameter. */
export function writeOptions(request: ApiRequest, kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions', isApply = false): WriteOptions {
  const { query } = request;
  const fieldManager = query.get('fieldManager');
  const errors: FieldError[] = [];
  const force = isTrue(query.get('force'));
  if (kind === 'PatchOptions') {
    if (isApply && !fieldManager) errors.push(required('fieldManager', 'is required for apply patch'));
    if (!isApply && query.has('force')) errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...managerErrors(fieldManager ?? ''));
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  if (dryRun.some((value) => value !== 'All')) errors.push(unsupported('dryRun', dryRun, ['All']));
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation))
    errors.push(unsupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0) throw invalid(kind, 'meta.k8s.io', '', errors);
  return {
    manager: fieldManager || managerOf(request.headers['user-agent'] ?? ''),
    dryRun: dryRun.length > 0,
    force,
    fieldValidation: (validation || 'Warn') as WriteOptions['fieldValidation'],
  };
}

/** Reads a boolean of a query: every value except `false` and `0` is true. Source: observed. */
export function isTrue(value: string | null): boolean {
  return value !== null && !['false', '0'].includes(value.toLowerCase());
}

/** A name that is valid without a look at each of its characters. */
const plainManager = /^[!-~]{0,128}$/;

function managerErrors(manager: string): FieldError[] {
  if (plainManager.test(manager)) return [];
  if (Buffer.byteLength(manager) > 128) return [{ type: 'tooLong', field: 'fieldManager', detail: 'may not be more than 128 bytes' }];
  const bad = [...manager].findIndex((character) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
  if (bad < 0) return [];
  const code = ([...manager][bad] as string).codePointAt(0) as number;
  const detail = `invalid character U+${code.toString(16).toUpperCase().padStart(4, '0')} (at position ${bad})`;
  const quoted = JSON.stringify(manager).replaceAll(/\\u00([0-9a-f]{2})/g, '\\x$1');
  return [{ type: 'invalid', field: 'fieldManager', value: quoted, detail }];
}

/** Returns the field manager of a request without `fieldManager`. Source: Kubernetes documentation "Server-Side Apply", "Managers". */
export function managerOf(userAgent: string): string {
  const name = [...(userAgent.split('/')[0] ?? '')].filter((character) => /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)).join('');
  return Buffer.byteLength(name) > 128 ? Buffer.from(name).subarray(0, 128).toString() : name || 'unknown';
}

/** Reads an integer of 64 bits from a query. @throws StatusError 400 */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const refuse = (reason: string) => badRequest(`strconv.ParseInt: parsing ${quote(text)}: ${reason}`);
  if (!/^[-+]?\d+$/.test(text)) throw refuse('invalid syntax');
  if (text.length > 100 || BigInt.asIntN(64, BigInt(text.replace('+', ''))) !== BigInt(text.replace('+', '')))
    throw refuse('value out of range');
  return Number(text);
}
