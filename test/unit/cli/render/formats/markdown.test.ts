import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { markdown, markdownLimit } from '../../../../../src/cli/render/formats/markdown.js';
import type { PlannedField, PlannedObject } from '../../../../../src/deploy/index.js';
import type { Json } from '../../../../../src/util/json.js';
import { planned, recordedRun, taken } from './sample-run.js';

const parser = new MarkdownIt({ html: true, linkify: true });

/** HTML, links, headings and texts of a document: what a reader sees beside code. */
function structure(text: string) {
  const tokens = parser.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  const of = (...types: readonly string[]) => tokens.filter(({ type }) => types.includes(type)).map(({ content }) => content.trim());
  return { html: of('html_block', 'html_inline'), links: of('link_open', 'image'), words: of('text').join('\n') };
}

const details = /^(<details><summary>(\d+ [a-z ]+|\d+ objects?, own fields only|What do these words mean\?)<\/summary>|<\/details>)$/;

describe('a plan as Markdown', () => {
  test('begins with the verdict', () => {
    const released: PlannedField = { field: '.data.old', change: 'removed', oldValue: '1' };
    const run = recordedRun([planned({ fields: [taken('.data.a'), taken('.data.b'), released] })]);
    expect(markdown([run]).split('\n')[0]).toBe('**+0 ~1 −0 · takes 2 fields from helm · releases 1 · blocked 0**');
  });

  test.each<{ what: string; objects: readonly Partial<PlannedObject>[]; verdict: string }>([
    { what: 'nothing', objects: [], verdict: 'Nothing changes.' },
    {
      what: 'several losers, one of them a stack',
      objects: [{ fields: [taken('.a'), taken('.b'), { ...taken('.c'), owners: [{ manager: 'm', operation: 'Apply', stack: 'base' }] }] }],
      verdict: '+0 ~1 −0 · takes 3 fields from helm (2), stack base (1) · releases 0 · blocked 0',
    },
    {
      what: 'many losers',
      objects: [{ fields: ['a', 'b', 'c', 'd', 'e'].map((name) => taken(`.${name}`, name)) }],
      verdict: '+0 ~1 −0 · takes 5 fields from a (1), b (1), c (1) and 2 others · releases 0 · blocked 0',
    },
    {
      what: 'deletions and replacements',
      objects: [{ action: 'delete' }, { action: 'recreate', name: 'b' }],
      verdict: '+0 ~0 −1 · takes 0 · releases 0 · recreates 1 · blocked 0',
    },
    {
      what: 'a blocked object, whose fields nobody takes',
      objects: [{ action: 'blocked', fields: [taken('.a')], error: { code: 'forbidden', message: 'No' } }],
      verdict: '+0 ~0 −0 · takes 0 · releases 0 · blocked 1, which would take 1 field',
    },
    {
      what: 'a manager whose name is Markdown',
      objects: [{ fields: [taken('.a', '@team `x`')] }],
      verdict: '+0 ~1 −0 · takes 1 field from ``"@team `x`"`` · releases 0 · blocked 0',
    },
    {
      what: 'a manager with the name of a stack',
      objects: [{ fields: [taken('.a', 'stack gateway')] }],
      verdict: '+0 ~1 −0 · takes 1 field from `"stack gateway"` · releases 0 · blocked 0',
    },
  ])('says $what', ({ objects, verdict }) => {
    expect(markdown([recordedRun(objects.map(planned))]).split('\n')[0]).toBe(`**${verdict}**`);
  });

  test('puts deletions first, says what is lost with them, and does not fold what makes an object risky', () => {
    const claim = planned({ name: 'uploads', kind: 'PersistentVolumeClaim', apiVersion: 'v1', action: 'delete' });
    const privileged: PlannedField = { field: '.spec.hostNetwork', change: 'set', newValue: true };
    const other: PlannedField = { field: '.spec.nodeName', change: 'set', newValue: 'a' };
    const text = markdown([
      recordedRun([planned({ name: 'web', kind: 'Pod', apiVersion: 'v1', fields: [taken('.spec.a'), other, privileged] }), claim]),
    ]);
    const [open = '', folded = ''] = text.slice(text.indexOf('### Risky')).split('<details>');
    expect(open.indexOf('uploads')).toBeLessThan(open.indexOf('web'));
    expect(open).toContain('deletes its volume with the data, unless the reclaim policy of the volume is Retain');
    expect(open).toContain('sets `.spec.hostNetwork`: `true`');
    expect(folded).toContain('1 more change');
    expect(folded).not.toContain('hostNetwork');
  });

  const judged = (code: string, source?: 'policy' | 'definition'): Partial<PlannedObject> => ({
    action: 'blocked',
    error: { code: code as 'rule-denied', message: 'No' },
    judgments: [{ rule: 'r', verdict: 'deny', message: 'no', ...(source ? { source } : {}) }],
  });
  const failing: Partial<PlannedObject> = { action: 'blocked', error: { code: 'forbidden', message: 'No' } };
  const others = 'It applies the others nevertheless, except those that depend on one of these, and ends with an error.';

  test.each<[string, readonly Partial<PlannedObject>[], string]>([
    ['an error of the server', [failing], `A deploy fails at these objects. ${others}`],
    ['a denial by a rule', [judged('rule-denied'), failing], 'A deploy changes nothing, not even the objects that are not blocked,'],
    ['a denial by a rule, behind an error of the server', [{ ...judged('rule-denied'), ...failing }], 'A deploy changes nothing,'],
    ['an object that exists', [{ action: 'blocked', error: { code: 'object-already-exists', message: '' } }], 'A deploy changes nothing,'],
    ['a refused release', [{ action: 'blocked', error: { code: 'release-refused', message: '' } }], 'A deploy changes nothing,'],
    ['a rule before a policy', [judged('admission-denied', 'policy'), judged('rule-denied')], 'A deploy changes nothing,'],
    [
      'a denial by a policy of the plan',
      [judged('admission-denied', 'policy')],
      `In a deploy, the server decides by the admission policies and definitions of the cluster: it may fail at these objects. ${others}`,
    ],
    [
      'a policy that is not evaluated under --strict',
      [
        {
          ...judged('admission-not-evaluated'),
          judgments: [{ rule: 'r', verdict: 'not-evaluated', blocks: true, message: '', source: 'policy' }],
        },
      ],
      'In a deploy, the server decides',
    ],
    [
      'a denial by a definition of the plan, and an error of the server',
      [judged('definition-denied', 'definition'), failing],
      `A deploy fails at these objects; at those with \`admission-…\` or \`definition-…\`, the server decides by the admission policies and definitions of the cluster. ${others}`,
    ],
  ])('says what a deploy does after %s', (_, objects, expected) => {
    const text = markdown([recordedRun(objects.map((object, index) => planned({ ...object, name: `n${index}` })))]);
    expect(text.split('### Blocked')[1]?.split('\n- ')[0]).toContain(expected);
  });

  const change = (field: string, oldValue: Json | undefined, newValue: Json): PlannedField => ({
    field,
    change: oldValue === undefined ? 'set' : 'change',
    ...(oldValue === undefined ? {} : { oldValue }),
    newValue,
  });

  test.each([
    { what: 'replicas to 0', kind: 'Deployment', fields: [change('.spec.replicas', 5, 0)], says: 'scales to 0 replicas' },
    {
      what: 'a selector of a Service',
      kind: 'Service',
      fields: [change('.spec.selector.app', 'a', 'b')],
      says: 'changes which pods a Service selects',
    },
    {
      what: 'a new binding',
      kind: 'ClusterRoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      action: 'create' as const,
      fields: [change('.subjects', undefined, [])],
      says: 'changes rights',
    },
    {
      what: 'a webhook',
      kind: 'ValidatingWebhookConfiguration',
      apiVersion: 'admissionregistration.k8s.io/v1',
      fields: [change('.webhooks[name="a"].failurePolicy', 'Fail', 'Ignore')],
      says: 'who may refuse or rewrite requests',
    },
    {
      what: 'a privileged container',
      kind: 'Pod',
      action: 'create' as const,
      fields: [change('.spec.containers[name="a"].securityContext.privileged', undefined, true)],
      says: 'privileges of the node',
    },
    {
      what: 'a host path inside a new item',
      kind: 'Pod',
      fields: [change('.spec.volumes[name="a"]', undefined, { name: 'a', hostPath: { path: '/' } })],
      says: 'privileges of the node',
    },
  ])('never folds $what, which takes nothing from anybody', ({ says, what: _, ...object }) => {
    const text = markdown([recordedRun([planned({ name: 'seen', apiVersion: 'v1', action: 'update', ...object })])]);
    const [before = '', section = ''] = text.split('### Risky, in own fields only');
    expect(before).toMatch(/takes 0 · releases 0 · blocked 0/);
    expect(section.split('<details>')[0]).toContain(says);
    expect(text).not.toContain('own fields only</summary>');
  });

  test.each([
    { what: 'other replicas', kind: 'Deployment', fields: [change('.spec.replicas', 5, 2)] },
    { what: 'replicas that stay at 0', kind: 'Deployment', fields: [change('.spec.replicas', 0, 0)] },
    { what: 'a new Service', kind: 'Service', action: 'create' as const, fields: [change('.spec.selector.app', undefined, 'b')] },
    {
      what: 'a label of a role',
      kind: 'Role',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      fields: [change('.metadata.labels.a', undefined, 'b')],
    },
    {
      what: 'a container without a privilege',
      kind: 'Pod',
      fields: [change('.spec.containers[name="a"].securityContext.privileged', true, false)],
    },
  ])('folds $what', ({ what: _, ...object }) => {
    const text = markdown([recordedRun([planned({ name: 'folded', apiVersion: 'v1', action: 'update', ...object })])]);
    expect(text).toContain('<details><summary>1 object, own fields only</summary>');
    expect(text).not.toContain('### Risky');
  });

  test('names the first way out where an object is blocked that would take fields', () => {
    const text = markdown([
      recordedRun([
        planned({ name: 'denied', action: 'blocked', error: { code: 'rule-denied', message: 'no' }, fields: [taken('.data.a')] }),
      ]),
    ]);
    expect(text.split('\n')[0]).toContain('blocked 1, which would take 1 field');
    expect(text).toContain('`fields: { "data.a": { conflicts: \'yield\' } }`');
  });

  test('opens what is risky, folds changes of own fields, and counts what stays', () => {
    const quiet: PlannedField = {
      field: '.data.x',
      change: 'co-own',
      newValue: 'v',
      oldValue: 'v',
      owners: [{ manager: 'm', operation: 'Apply' }],
    };
    const run = recordedRun([
      planned({ name: 'risky', fields: [taken('.data.a'), { field: '.data.b', change: 'set', newValue: 1 }, quiet] }),
      planned({ name: 'harmless', action: 'create', fields: [{ field: '.data.b', change: 'set', newValue: 1 }] }),
      planned({ name: 'same', action: 'unchanged', fields: [quiet] }),
    ]);
    const text = markdown([run]);
    const [open = '', folded = ''] = text.split('<details><summary>1 object, own fields only</summary>');
    expect(open).toContain('takes `.data.a` from `helm (Helm 4)`: `"theirs"` → `"ours"`');
    expect(open).toContain('updates 1 object, creates 1, 1 unchanged. 2 fields that others own, too, stay as they are.');
    expect(folded).toContain('`ConfigMap default/harmless`');
    expect(text).not.toContain('default/same');
    expect(markdown([run], { all: true })).toContain('`ConfigMap default/same`');
  });

  test('has a heading for each of several environments', () => {
    const runs = ['staging', 'prod'].map((environment) => recordedRun([planned({ fields: [taken('.data.a')] })], { environment }));
    const headings = markdown(runs)
      .split('\n')
      .filter((line) => line.startsWith('## '));
    expect(headings).toEqual(['## Environment `staging`', '## Environment `prod`']);
    expect(markdown(runs.slice(0, 1))).not.toContain('## E');
  });

  const texts: readonly (readonly [what: string, field: PlannedField, block: string])[] = [
    [
      'changed',
      { field: '.data.run', change: 'change', oldValue: 'one\ntwo\nthree\n', newValue: 'one\n2\nthree\n' },
      '  - changes `.data.run`:\n    ```diff\n     one\n    -two\n    +2\n     three\n    ```\n',
    ],
    [
      'taken',
      { ...taken('.data.run'), oldValue: 'a\nb', newValue: 'a' },
      '  - takes `.data.run` from `helm (Helm 4)`:\n    ```diff\n    -a\n    -b\n    +a\n    ```\n',
    ],
    ['set', { field: '.data.run', change: 'set', newValue: 'a\nb\n' }, '  - sets `.data.run`:\n    ```diff\n    +a\n    +b\n    ```\n'],
    [
      'removed',
      { field: '.data.run', change: 'removed', oldValue: 'a\n\nb' },
      '  - releases `.data.run`, removed:\n    ```diff\n    -a\n    -\n    -b\n    ```\n',
    ],
    [
      'with a fence in it',
      { field: '.data.run', change: 'change', oldValue: '```\na', newValue: '````\na' },
      '  - changes `.data.run`:\n    `````diff\n    -```\n    +````\n     a\n    `````\n',
    ],
  ];
  test.each(texts)('shows a text of several lines that is %s line by line', (_, field, block) => {
    expect(markdown([recordedRun([planned({ fields: [field] })])])).toContain(block);
  });

  test('cuts a long text, and says how much is left', () => {
    const newValue = Array.from({ length: 1_000 }, (_, line) => `line ${line}`).join('\n');
    const text = markdown([recordedRun([planned({ fields: [{ field: '.data.run', change: 'set', newValue }] })])]);
    expect(text).toContain('+line 39\n    @@ 960 more lines @@\n');
    expect(text).not.toContain('+line 40');
  });

  test('no line of a text leaves its block', () => {
    const line = fc.constantFrom(
      '```',
      ' ```',
      '~~~',
      '<script>',
      '</details>',
      '# H',
      '- a',
      '',
      '\t',
      '\u2028',
      '\r',
      '````` x',
      '[a](http://x)',
    );
    const value = fc.array(line, { minLength: 2, maxLength: 8 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(value, value, fc.boolean(), (oldValue, newValue, isForced) => {
        const field: PlannedField = isForced
          ? { ...taken('.data.run'), oldValue, newValue }
          : { field: '.data.run', change: 'change', oldValue, newValue };
        const { html, links, words } = structure(markdown([recordedRun([planned({ fields: [field] })])]));
        expect(html.filter((one) => !details.test(one))).toEqual([]);
        expect(html.filter((one) => one.startsWith('<details>'))).toHaveLength(html.filter((one) => one === '</details>').length);
        expect(links).toEqual([]);
        expect(words).not.toMatch(/[`<>|#\u2028]|\bH\b/);
      }),
      { numRuns: 300 },
    );
  });

  test('no text of a program, a file or a cluster leaves its code span', () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        '</details>',
        '<script>alert(1)</script>',
        '`` x',
        '\n\n# H\n',
        '| a |',
        '[a](http://x)',
        '@team',
        '\u202e',
        '-->',
        '\n```\n',
      ),
      fc.stringMatching(/^[`<>|*_[\]()!@#a \n/\\-]{0,30}$/),
    );
    fc.assert(
      fc.property(
        fc.array(hostile, { minLength: 12, maxLength: 12 }),
        ([a = '', b = '', c = '', d = '', e = '', f = '', g = '', h = '', i = '', j = '', k = '', l = '']) => {
          const owners = [{ manager: a, operation: 'Update' as const, subresource: b }];
          const fields: PlannedField[] = [
            { field: c, change: 'force', oldValue: d, newValue: { [e]: f }, owners },
            { field: c, change: 'item-removed', oldValue: d, collateral: [{ field: e, oldValue: f, owners }] },
            { field: f, change: 'kept', newValue: a, owners },
          ];
          const declaredBy = [{ construct: g, source: `${h}:1:2` }];
          const text = markdown([
            recordedRun(
              [
                { event: 'warning', code: 'field-pruned', message: i, next: j },
                planned({ object: k, stack: l, fields, declaredBy, reason: i, adopts: { owners, prunedBy: [b] } }),
                planned({ object: k, action: 'blocked', error: { code: 'rejected', message: i, next: j }, declaredBy: [{ construct: g }] }),
                planned({ object: k, action: 'create', movedFrom: a, renamedFrom: [b], transferred: { from: c, fields: [d] } }),
              ],
              { environment: l },
            ),
          ]);
          const { html, links, words } = structure(text);
          expect(html.filter((one) => !details.test(one))).toEqual([]);
          expect(html.filter((one) => one.startsWith('<details>'))).toHaveLength(html.filter((one) => one === '</details>').length);
          expect(links).toEqual([]);
          expect(words).not.toMatch(/[`<>|@#\u202e]/);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a long plan as Markdown', () => {
  const long = (index: number, text: string): PlannedObject =>
    planned({
      name: `object-${index}`,
      stack: `stack-${index % 7}`,
      fields: Array.from({ length: 30 }, (_, field) =>
        index % 10 === 0
          ? { ...taken(`.data.${text}${field}`), newValue: index }
          : { field: `.data.${text}${field}`, change: 'set', newValue: [text, index] },
      ),
    });

  test.each([
    { objects: 1_000, text: 'x' },
    { objects: 1_000, text: 'y'.repeat(2_000) },
    { objects: 10_000, text: '`'.repeat(500) },
  ])('of $objects objects stays in the limit, with its verdict', ({ objects, text }) => {
    const run = recordedRun(Array.from({ length: objects }, (_, index) => long(index, text)));
    const document = markdown([run]);
    expect(document.length).toBeLessThanOrEqual(markdownLimit);
    expect(document.split('\n')[0]).toBe(`**+0 ~${objects} −0 · takes ${objects * 3} fields from helm · releases 0 · blocked 0**`);
    expect(document).toContain(`updates ${objects} objects.`);
    const shown = document.match(/^- \*\*update\*\*/gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(10);
    expect(document).toContain(`\n${objects - shown} items left out`);
    expect(structure(document).html.filter((one) => !details.test(one))).toEqual([]);
  });

  test('of 10,000 objects with the same change in each stack is short, and names the first ones', () => {
    const run = recordedRun(
      Array.from({ length: 10_000 }, (_, index) =>
        planned({
          name: `object-${index}`,
          stack: `stack-${index % 2}`,
          fields: [{ field: '.spec.image', change: 'change', oldValue: 'web:1', newValue: 'web:2' }],
        }),
      ),
    );
    const document = markdown([run]);
    expect(document.match(/changes `.spec.image`: `"web:1"` → `"web:2"`/g)).toHaveLength(2);
    expect(document).toContain(
      '- **update** 5000 objects in stack `stack-1`, `main.ts:4`, the same change in each: `ConfigMap default/object-1`, `ConfigMap default/object-3`, `ConfigMap default/object-5` and 4997 more\n',
    );
    expect(document).toContain('<details><summary>4997 more objects</summary>');
    expect(document).not.toContain('left out');
    expect(document.length).toBeLessThan(16_000);
  });

  test.each<{ what: string; other: Partial<PlannedObject> }>([
    {
      what: 'values that differ behind their shown part',
      other: { fields: [{ field: '.a', change: 'set', newValue: `${'x'.repeat(200)}2` }] },
    },
    { what: 'kinds', other: { kind: 'Secret' } },
    { what: 'actions', other: { action: 'create' } },
    { what: 'reasons', other: { reason: 'because' } },
    { what: 'stacks', other: { stack: 'other' } },
  ])('does not join objects of different $what', ({ other }) => {
    const one: Partial<PlannedObject> = { name: 'one', fields: [{ field: '.a', change: 'set', newValue: `${'x'.repeat(200)}1` }] };
    const document = markdown([recordedRun([planned(one), planned({ ...one, ...other, name: 'two' })])]);
    expect(document).toContain('`ConfigMap default/one` in stack');
    expect(document).toContain('`ConfigMap default/two` in stack');
  });

  test('has the objects of a stack beside each other', () => {
    const objects = ['a', 'b', 'a', 'b'].map((stack, index) => planned({ name: `n${index}`, stack, action: 'create', reason: `${index}` }));
    const names = markdown([recordedRun(objects)]).match(/default\/n\d/g);
    expect(names).toEqual(['default/n0', 'default/n2', 'default/n1', 'default/n3']);
  });

  test('of many environments stays in the limit, and counts the environments that it leaves out', () => {
    const events = Array.from({ length: 100 }, (_, index) => long(index, 'z'));
    const few = markdown(['a', 'b', 'c'].map((environment) => recordedRun(events, { environment })));
    expect(few.length).toBeLessThanOrEqual(markdownLimit);
    expect(few.match(/^## Environment/gm)).toHaveLength(3);
    const many = markdown(Array.from({ length: 400 }, (_, index) => recordedRun(events.slice(0, 20), { environment: `e${index}` })));
    expect(many.length).toBeLessThanOrEqual(markdownLimit);
    const headings = many.match(/^## Environment/gm)?.length ?? 0;
    expect(headings).toBeGreaterThan(50);
    expect(many).toContain(`${400 - headings} environments left out`);
  });

  test('shows what is risky before changes of own fields', () => {
    const harmless = Array.from({ length: 3_000 }, (_, index) => planned({ name: `harmless-${index}`, action: 'create' }));
    const document = markdown([recordedRun([...harmless, planned({ name: 'last', fields: [taken('.data.a')] })])]);
    expect(document).toContain('`ConfigMap default/last`');
    expect(document).toContain('takes `.data.a`');
  });
});
