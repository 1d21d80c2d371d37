import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs in a process of its own, in which nothing has loaded the code for policies. */
const program = `
import { ApiServer } from './lib/src/apiserver/index.js';
import { dispatchModule } from './lib/src/apiserver/admission/dispatch-module.js';
const api = await ApiServer.create({});
const post = (path, object) =>
  api.handle({ method: 'POST', path, query: new URLSearchParams(), headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) });
const codes = [dispatchModule.isLoaded];
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
codes.push((await post('/api/v1/namespaces/default/configmaps', configMap)).code, dispatchModule.isLoaded);
const group = 'admissionregistration.k8s.io';
const binding = { apiVersion: group + '/v1', kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'] } };
codes.push((await post('/apis/' + group + '/v1/validatingadmissionpolicybindings', binding)).code, dispatchModule.isLoaded);
console.log(JSON.stringify(codes));
`;

test('the code for policies is loaded before the first binding is stored, and not earlier', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([false, 201, false, 201, true]);
});
