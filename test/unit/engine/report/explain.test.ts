import { describe, expect, test } from 'vitest';
import { explain } from '../../../../src/engine/report/explain.js';
import { ApiError } from '../../../../src/kubernetes/index.js';

const refusal = (code: number, status: object) => new ApiError('PATCH', '/x', code, { kind: 'Status', code, ...status } as never);
const required = (field: string) => ({ reason: 'FieldValueRequired', field, message: 'Required value' });

describe("explanations of the server's rejections", () => {
  test.each([
    [
      'port-unnamed',
      refusal(422, { reason: 'Invalid', details: { causes: [required('spec.ports[0].name')] } }),
      /^A Service with more than one port needs a name on each: \.spec\.ports\[0\]\.name is missing$/,
    ],
    [
      'port-unnamed',
      refusal(422, { reason: 'Invalid', details: { causes: [required('spec.ports[0].name'), required('spec.ports[1].name')] } }),
      /: \.spec\.ports\[0\]\.name and \.spec\.ports\[1\]\.name are missing$/,
    ],
    ['invalid', refusal(422, { reason: 'Invalid', details: { causes: [required('spec.selector')] } }), /\.spec\.selector: Required value/],
    [
      'field-immutable',
      refusal(422, {
        reason: 'Invalid',
        details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.selector', message: 'Invalid value: {}: field is immutable' }] },
      }),
      /\.spec\.selector/,
    ],
    ['namespace-missing', refusal(404, { reason: 'NotFound', message: 'namespaces "shop" not found' }), /Namespace shop does not exist/],
    [
      'forbidden',
      refusal(403, { reason: 'Forbidden', message: 'deployments.apps "web" is forbidden: User "u" cannot patch' }),
      /cannot patch/,
    ],
    [
      'admission-denied',
      refusal(403, { message: `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no\nand no` }),
      /^The admission policy p denies the request for configmaps "a": no\nand no$/,
    ],
    [
      'admission-denied',
      refusal(422, {
        message: `pods "a\\"b" is forbidden: ValidatingAdmissionPolicy 'p' denied request: may not be changed`,
        details: { causes: [{ message: 'may not be changed' }] },
      }),
      /^The admission policy p denies the request for pods "a\\"b": may not be changed$/,
    ],
    [
      'admission-denied',
      refusal(500, { message: 'admission webhook "w" denied the request: no' }),
      /^The admission webhook w denies the request: no$/,
    ],
    // The beginning of a message is the server's; texts of others that look like a denial are behind it.
    [
      'forbidden',
      refusal(403, {
        message: `configmaps "x" is forbidden: User "u" cannot patch: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no`,
      }),
      /cannot patch/,
    ],
    [
      'forbidden',
      refusal(403, {
        message: `User "configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' denied request: " cannot patch`,
      }),
      /cannot patch/,
    ],
    [
      'invalid',
      refusal(422, {
        message: 'admission webhook "w" denied the request: Widget.example.com "w" is invalid: spec.size: Required value',
        details: { causes: [required('spec.size')] },
      }),
      /\.spec\.size: Required value/,
    ],
    ['invalid', refusal(422, { message: `ConfigMap "a" is invalid: ValidatingAdmissionPolicy 'p' denied request: no` }), /considers/],
    [
      'field-unknown',
      refusal(500, {
        message: 'failed to create typed patch object (ns/web; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema',
      }),
      /no field \.spec\.replica/,
    ],
    [
      'schema-mismatch',
      refusal(500, {
        message: 'failed to create typed patch object (a/b; v1): .spec.replicas: expected numeric (int or float), got string',
      }),
      /expected numeric/,
    ],
    ['server-error', refusal(503, { message: 'etcdserver: leader changed' }), /leader changed/],
    ['internal', new Error('boom'), /boom/],
  ])('%s', (code, error, message) => {
    const explained = explain(error);
    expect(explained.code).toBe(code);
    expect(explained.message).toMatch(message);
  });

  test('a body that is not a Status is quoted, not dumped', () => {
    expect(explain(new ApiError('GET', '/x', 502, '<html>bad gateway</html>')).message).toMatch(/502 with HTML \("bad gateway/);
  });
});
