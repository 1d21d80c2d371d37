import { expect, test } from 'vitest';
import { camelCase, constructorName, NameRegistry, nameCandidates, singular } from '../../../codegen/type-names.js';

test.each([
  ['Pod', 'pod'],
  ['HTTPRoute', 'httpRoute'],
  ['CSIDriver', 'csiDriver'],
  ['APIService', 'apiService'],
  ['PodIP', 'podIP'],
  ['TLS', 'tls'],
  ['S3Bucket', 's3Bucket'],
  ['KafkaMirrorMaker2', 'kafkaMirrorMaker2'],
])('%s becomes %s', (base, expected) => expect(camelCase(base)).toBe(expected));

test.each([
  ['Delete', 'delete_'],
  ['Class', 'class_'],
  ['Eval', 'eval_'],
  ['Build', 'build'],
  ['Set', 'set'],
])('a constructor of %s is %s', (base, expected) => expect(constructorName(base)).toBe(expected));

test.each([
  ['listeners', 'listener'],
  ['policies', 'policy'],
  ['addresses', 'address'],
  ['matches', 'match'],
  ['status', 'status'],
  ['ingress', 'ingress'],
  ['tls', 'tls'],
  ['env', 'env'],
  ['aliases', 'alias'],
  ['statuses', 'status'],
  ['extraDNS', 'extraDNS'],
])('one of %s is a %s', (many, one) => expect(singular(many)).toBe(one));

const step = (text: string) => text.split('.').map((name) => ({ name: name.replace('[]', ''), many: name.endsWith('[]') }));

test.each([
  ['spec', ['GatewaySpec']],
  ['spec.listeners[]', ['Listener', 'GatewayListener', 'GatewaySpecListener', 'GatewaySpecListener2']],
  ['spec.template.spec', ['TemplateSpec', 'GatewayTemplateSpec', 'GatewaySpecTemplateSpec']],
  ['spec.rules[].matches[]', ['Match', 'RuleMatch', 'GatewayMatch']],
  ['spec.-XX', ['XX', 'GatewayXX', 'GatewaySpecXX']],
  ['spec.日本', ['日本', 'Gateway日本']],
  ['spec.größen[]', ['Größen', 'GatewayGrößen', 'GatewaySpecGrößen']],
  ['spec.1st', ['Type1st', 'Gateway1st', 'GatewaySpec1st']],
])('names of .%s begin with %s', (path, expected) => {
  const candidates = nameCandidates('Gateway', step(path));
  expect(expected.map(() => candidates.next().value)).toEqual(expected);
});

test('two types never share a constructor', () => {
  const taken = new NameRegistry();
  expect(taken.reserveFirstFree(['HTTPRoute'])).toBe('HTTPRoute');
  expect(taken.reserveFirstFree(['HttpRoute', 'Other'])).toBe('Other');
});
