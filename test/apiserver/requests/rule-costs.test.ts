import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiCallError } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/**
 * What kube-apiserver 1.36.3 says of rules about a text of at most five characters: an error, or that they cost too much in a list of so many
 * texts. The least power of ten at which it refuses a rule tells its estimate.
 */
const testEnvironment = await TestEnvironment.create('rule-costs');
const { cluster, namespace } = testEnvironment;
/** Rules with the message about each; undefined for one that is not refused in the longest list. */
const recorded = JSON.parse(readFileSync(new URL('./definitions/rule-costs.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;
const rules = Object.keys(recorded);

test('each rule is refused from the same length of a list on, in the words of the real server', async () => {
  const found = new Map<string, string>();
  for (let zeros = 0; zeros <= 9; zeros++) {
    const list = (rule: string) => ({
      type: 'array',
      maxItems: 10 ** zeros,
      items: { type: 'string', maxLength: 5, 'x-kubernetes-validations': [{ rule }] },
    });
    const properties = Object.fromEntries(rules.map((rule, index) => [`p${index}`, list(rule)]));
    const body = crdOf(`${namespace}.example.com`, 'Costly', { spec: { type: 'object', properties } });
    const path = await cluster.path(body);
    const error = await cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } }).then(
      () => undefined,
      (thrown: ApiCallError) => thrown,
    );
    for (const { field, message } of (error?.body.details?.causes ?? []) as readonly {
      readonly field: string;
      readonly message: string;
    }[]) {
      const index = /properties\[p(\d+)\]\.items\.x-kubernetes-validations\[0\]\.rule$/.exec(field)?.[1];
      const rule = rules[Number(index)];
      if (rule === undefined || found.has(rule) || message.startsWith('Forbidden: contributed')) continue;
      const isCost = message.startsWith('Forbidden: estimated');
      found.set(
        rule,
        isCost ? `10^${zeros}: ${/factor of (.*?)x/.exec(message)?.[1]}` : message.replace(/^.*?(?=compilation|program)/s, ''),
      );
    }
  }
  for (const rule of rules) expect.soft(found.get(rule) ?? '', rule).toBe(recorded[rule]);
});
