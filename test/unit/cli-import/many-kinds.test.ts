import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImportProject } from './import-program.js';

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

/** A CRD of a kind with a rule that builders do not check. */
const crd = (kind: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: edge.example.com
  scope: Namespaced
  names: { kind: ${kind}, plural: ${kind.toLowerCase()}s }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: {
    a: { type: string, x-kubernetes-validations: [{ rule: "self != ''" }] }, b: { type: object, properties: { c: { type: string } }, not: { required: [c] } } } } } } } }]
`;
const unchecked = (stderr: string) => stderr.split('\n').filter((line) => line.includes('-not-checked)'));

test.each([
  [['A', 'B', 'C'], 6],
  [['A', 'B', 'C', 'D'], 2],
])('the kinds %j have %i lines about rules that builders do not check', async (kinds, lines) => {
  await project.put('crds.yaml', kinds.map(crd).join('---'));
  const { stderr } = await project.import(['crds.yaml']);
  expect(unchecked(stderr)).toHaveLength(lines);
  if (kinds.length > 3) {
    expect(unchecked(stderr)[1]).toBe(
      'note: A edge.example.com, B edge.example.com, C edge.example.com and 1 more kind (--all-diagnostics lists them) have rules that only the API server checks (value-rule-not-checked)',
    );
  }
});
