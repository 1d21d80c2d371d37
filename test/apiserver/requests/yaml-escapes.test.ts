import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

/** A server reads the body of an apply as YAML, also where it is JSON: some escapes of JSON are none of YAML. */
const testEnvironment = await TestEnvironment.create('yaml-escapes');
const { cluster, namespace } = testEnvironment;
const { client } = cluster;
const headers = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata:\n';
const json = (text: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"},"data":{"a":"${text}"}}`;

const half = 'yaml: found invalid Unicode character escape code';
const unknown = 'yaml: found unknown escape character';

test.each<readonly [text: string, problem: string | undefined, value?: string]>([
  [json('\\ud83d\\ude00'), half],
  [json('\\uD83D'), half],
  [json('a\\/b'), unknown],
  [json('a\\\\/b'), undefined, 'a\\/b'],
  [json('\\\\ud83d'), undefined, '\\ud83d'],
  [json('\\u00e9 \u{1f600}'), undefined, 'é \u{1f600}'],
  [json('b",\n"c":"\\/'), 'yaml: line 2: found unknown escape character'],
  [`${headers}  a: "x\\ud83d\\ude00"\n`, 'yaml: line 5: found invalid Unicode character escape code'],
  [`${headers}  # "\\ud83d"\n  a: "\n\n  \\/"\n`, 'yaml: line 8: found unknown escape character'],
  [`${headers}  "\\/k": b\n`, 'yaml: line 5: found unknown escape character'],
  [`${headers}  a: &x "\\/k"\n  b: *x\n`, 'yaml: line 5: found unknown escape character'],
  [`${headers}  a: !!str # "\n    "\\/k"\n`, 'yaml: line 6: found unknown escape character'],
  [`${headers}  a: "b\\/"\n  a: c\n`, 'yaml: line 5: found unknown escape character'],
  [`${headers}  a: "\\U0011FFFF"\n`, 'yaml: line 5: found invalid Unicode character escape code'],
  [`${headers}  a: "\\U0001F600"\n`, undefined, '\u{1f600}'],
  [`${headers}  a: '\\ud83d \\/'\n`, undefined, '\\ud83d \\/'],
  [`${headers}  a: x \\/ "\\ud83d"\n`, undefined, 'x \\/ "\\ud83d"'],
  [`${headers}  a: |\n    "\\/"\n`, undefined, '"\\/"\n'],
])('%j', async (text = '', problem, value) => {
  const name = `escapes-${Math.random().toString(36).slice(2)}`;
  const send = async (method: string, path: string, type: string) => {
    const url = new URL(`${client.connection.server.replace(/\/$/, '')}/api/v1/namespaces/${namespace}/configmaps${path}`);
    const answer = await client.raw(method, url, { 'content-type': type }, Buffer.from(text.replace('NAME', name)));
    return { status: answer.status, body: JSON.parse(answer.text) };
  };
  const applied = await send('PATCH', `/${name}?fieldManager=test&dryRun=All`, 'application/apply-patch+yaml');
  const created = await send('POST', '?dryRun=All', 'application/yaml');
  if (problem === undefined) {
    expect([applied, created]).toMatchObject([0, 1].map(() => ({ status: 201, body: { data: { a: value } } })));
  } else {
    expect(applied).toMatchObject({ status: 400, body: { message: `error decoding YAML: error converting YAML to JSON: ${problem}` } });
    expect(created).toMatchObject({ status: 400, body: { message: expect.stringContaining(`(must be of type ConfigMap): ${problem} (`) } });
  }
  // A body of JSON is read as JSON.
  if (text.startsWith('{')) expect((await send('POST', '?dryRun=All', 'application/json')).status).toBe(201);
});
