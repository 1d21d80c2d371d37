const maxBytes = 3 * 1024 * 1024;
const collection = '/api/v1/namespaces/fairness/configmaps';
const json = 'application/json';
const yaml = 'application/yaml';

/** A request with a body near the limit; target and body hold the number of the request in place of `#`. */
export interface LargeRequest {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly type: string;
  readonly body: string;
}

/** The bodies that take a server longest, each of at most 3 MiB. */
export function largeRequests(): readonly LargeRequest[] {
  const create = (name: string, type: string, body: string): LargeRequest => ({ name, method: 'POST', target: collection, type, body });
  const patch = (name: string, type: string, body: string): LargeRequest => {
    const suffix = type.includes('apply') ? '?fieldManager=m#&force=true' : '';
    return { name, method: 'PATCH', target: `${collection}/${type.includes('apply') ? 'applied-#' : 'patched'}${suffix}`, type, body };
  };
  const pod = (name: string, spec: string): LargeRequest => ({
    ...create(name, json, `{"metadata":{"name":"x"},"spec":{${spec}}}`),
    target: '/api/v1/namespaces/fairness/pods',
  });
  const metadata = (name: string, more: string): LargeRequest => create(name, json, `{"metadata":{"name":"x",${more}}}`);
  const apply = 'application/apply-patch+yaml';
  const jsonPatch = 'application/json-patch+json';
  return [
    create('one long value', json, named(`"data":{"a":"${'x'.repeat(maxBytes - 100)}"}`)),
    create('a map of 50,000 members', json, named(`"data":{${members(50_000, 40)}}`)),
    create('a map of 50,000 members with spaces', json, named(`"data": { ${members(50_000, 40)} }`)),
    create('60,000 labels', json, `{"metadata":{"name":"x","labels":{${members(60_000, 30)}}}}`),
    create('100,000 unknown members', json, named(members(100_000, 10))),
    create('100,000 long numbers', json, named(`"data":{"a":[${Array(100_000).fill('1234567890123456789').join(',')}]}`)),
    create('a nesting of 10,000', json, named(`"data":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`)),
    create('brackets that never end', json, '['.repeat(maxBytes)),
    create('brackets of YAML', yaml, '['.repeat(maxBytes)),
    create('a map of YAML', yaml, `metadata: {name: x}\ndata:\n${lines(60_000, (index) => `  key-${index}: value ${index} and more`)}`),
    create('aliases of YAML', yaml, `a: &a [x]\n${lines(100_000, (index) => `k${index}: [*a, *a]`)}`),
    create(
      'the same key of YAML',
      yaml,
      lines(300_000, () => 'a: b'),
    ),
    pod('40,000 containers', `"containers":[${items(40_000, (index) => `{"name":"c${index}","image":"a"}`)}]`),
    pod('50,000 volumes', `"containers":[],"volumes":[${items(50_000, (index) => `{"name":"c${index}","emptyDir":{}}`)}]`),
    pod('80,000 variables', `"containers":[{"name":"a","image":"a","env":[${items(80_000, (index) => `{"name":"V${index}"}`)}]}]`),
    pod('60,000 ports', `"containers":[{"name":"a","image":"a","ports":[${items(60_000, (index) => `{"containerPort":${index}}`)}]}]`),
    pod('20,000 tolerations', `"containers":[],"tolerations":[${items(20_000, (index) => `{"key":"k${index}","operator":"Exists"}`)}]`),
    metadata(
      '20,000 owners',
      `"ownerReferences":[${items(20_000, (index) => `{"apiVersion":"v1","kind":"Pod","name":"o","uid":"u${index}"}`)}]`,
    ),
    metadata('100,000 finalizers', `"finalizers":[${items(100_000, (index) => `"a.b/f${index}"`)}]`),
    metadata('20,000 managers', `"managedFields":[${items(20_000, (index) => `${managedFields}"manager":"m${index}"}`)}]`),
    metadata('100,000 annotations', `"annotations":{${members(100_000, 3)}}`),
    {
      ...create(
        '20,000 rules',
        json,
        `{"metadata":{"name":"x"},"rules":[${items(20_000, (index) => `${policyRule}"resources":["r${index}"]}`)}]}`,
      ),
      target: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    },
    {
      ...create('a schema of 20,000 properties', json, definition(items(20_000, (index) => `"p${index}":{"type":"string"}`))),
      target: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    },
    patch('apply of 50,000 members', apply, applied(`"data":{${members(50_000, 40)}}`)),
    patch('apply of 20,000 members', apply, applied(`"data":{${members(20_000, 20)}}`)),
    patch(
      'apply of YAML',
      apply,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied-#}\ndata:\n${lines(60_000, (index) => `  key-${index}: value ${index} and more`)}`,
    ),
    patch(
      '10,000 operations',
      jsonPatch,
      operations(10_000, (index) => `{"op":"add","path":"/data/k${index}","value":"${'x'.repeat(250)}"}`),
    ),
    patch(
      '10,000 copies',
      jsonPatch,
      operations(10_000, (index) => `{"op":"copy","from":"/data","path":"/data/k${index}"}`),
    ),
    patch(
      '60,000 operations',
      jsonPatch,
      operations(60_000, () => '{"op":"test","path":"/data/a","value":"b"}'),
    ),
    patch('a path of 1 MB', jsonPatch, `[{"op":"add","path":"${'/a'.repeat(500_000)}","value":1}]`),
    patch('merge patch of 50,000 members', 'application/merge-patch+json', `{"data":{${members(50_000, 40)}}}`),
    patch('strategic patch of 50,000 members', 'application/strategic-merge-patch+json', `{"data":{${members(50_000, 40)}}}`),
  ];
}

const managedFields = '{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}},';
const policyRule = '{"apiGroups":[""],"verbs":["get"],';

function definition(properties: string): string {
  const schema = `{"type":"object","properties":{"spec":{"type":"object","properties":{${properties}}}}}`;
  const version = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}`;
  const names = '{"plural":"larges","kind":"Large"}';
  return `{"metadata":{"name":"larges.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":${names},"versions":[${version}]}}`;
}

function named(more: string): string {
  return `{"metadata":{"name":"x"},${more}}`;
}

function applied(more: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied-#"},${more}}`;
}

function members(count: number, length: number): string {
  return Array.from({ length: count }, (_, index) => `"key-${index}":"${'v'.repeat(length)}"`).join(',');
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${line(index)}\n`).join('');
}

function items(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(',');
}

function operations(count: number, operation: (index: number) => string): string {
  return `[${items(count, operation)}]`;
}
