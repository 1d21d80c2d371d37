import { ApiError, conditionReasonOf, FieldwiseError } from 'fieldwise/controller';
import { expect, test } from 'vitest';

const secret = 's3cr3t';
const status = (code: number, reason: string, field = '.spec.type') => ({
  kind: 'Status',
  code,
  reason,
  message: `is invalid: ${field}: Invalid value: "${secret}"`,
  details: { causes: [{ reason: 'FieldValueInvalid', field, message: `Invalid value: "${secret}"` }] },
});

test.each([
  ['a code', new FieldwiseError('apply-contended', 'resource', 'Others write'), 'ApplyContended', true],
  ['an invalid intent', new FieldwiseError('intent-invalid', 'usage', 'no'), 'IntentInvalid', false],
  ['a refusal', new ApiError('PATCH', '/api/v1/services/a', 422, status(422, 'Invalid')), 'Invalid', false],
  ['overload', new ApiError('PATCH', '/api/v1/services/a', 503, undefined), 'Status503', true],
  ['anything else', new TypeError(secret), 'ReconcileFailed', false],
])('%s', (_, error, reason, transient) => {
  expect(conditionReasonOf(error)).toMatchObject({ reason, transient });
  expect(reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
});

test.each([
  ['what the server quotes', new ApiError('PATCH', '/api/v1/services/a', 422, status(422, 'Invalid'))],
  ['anything about a Secret', new ApiError('PATCH', '/api/v1/namespaces/n/secrets/a', 403, status(403, 'Forbidden'))],
  [
    'what is declared for a Secret',
    new FieldwiseError('intent-invalid', 'usage', `got "${secret}"`, { location: { object: 'Secret n/a' } }),
  ],
  ['a page of a proxy', new ApiError('PATCH', '/api/v1/namespaces/n/configmaps/a', 500, `<html><title>${secret}</title>`)],
  ['a text of a proxy', new ApiError('PATCH', '/api/v1/namespaces/n/configmaps/a', 503, secret)],
  [
    'a conflict in words of others',
    new ApiError('PATCH', '/a', 409, {
      kind: 'Status',
      code: 409,
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.x', message: `conflict: ${secret}` }] },
    }),
  ],
  ['what no API server sends', new FieldwiseError('response-unexpected', 'resource', `was answered with HTML ("${secret}")`)],
  ['what another library says', new Error(`connect https://user:${secret}@host`)],
  [
    'what an error passes on of another',
    new FieldwiseError('cluster-unreachable', 'resource', `no answer: ${secret}`, { cause: new Error(secret) }),
  ],
])('not told: %s', (_, error) => {
  expect(JSON.stringify(conditionReasonOf(error))).not.toContain(secret);
});

test.each([403, 404, 409, 422, 429, 500, 503])('not told: what the server says with %i', (code) => {
  const body = { ...status(code, `because of ${secret}`), code };
  const error = new ApiError('PATCH', '/api/v1/namespaces/n/configmaps/a', code, body);
  expect(JSON.stringify(conditionReasonOf(error))).not.toContain(secret);
});

test('a conflict names its fields and owners', () => {
  const causes = [{ reason: 'FieldManagerConflict', field: '.spec.replicas', message: 'conflict with "kubectl" using apps/v1' }];
  const error = new ApiError('PATCH', '/apis/apps/v1/namespaces/n/deployments/a', 409, {
    kind: 'Status',
    reason: 'Conflict',
    code: 409,
    details: { causes },
  });
  expect(conditionReasonOf(error)).toEqual({
    reason: 'Conflict',
    message: 'PATCH /apis/apps/v1/namespaces/n/deployments/a: rejected with 409: .spec.replicas (owned by kubectl)',
    transient: true,
  });
});
