import { crdOf } from '../harness/crd.js';

const string = { type: 'string' };
const names = ['a', 'b', 'c', 'd', 'g', 'h', 'k', 'm', 'n', 'o', 'p', 's', 't', 'u', 'v', 'y'];
const spec = (listType: string) => ({
  type: 'object',
  properties: {
    ...Object.fromEntries(names.map((name) => [name, string])),
    l: { type: 'array', items: string, 'x-kubernetes-list-type': listType },
    r: { ...string, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'field is immutable' }] },
  },
});

/** The CustomResourceDefinition of the object of a pair: strings, an immutable one (`r`) and a list (`l`). */
export function definitionOf(group: string, listType: 'atomic' | 'set' = 'atomic') {
  return crdOf(group, 'Widget', { spec: spec(listType) });
}
