import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { commandsWithSchema, requirePrintedAsDescribed } from '../../harness/json-lines.js';

const page = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');

it('each command that has -o json has a schema, and no other', () => {
  const sections = page.split(/^## fieldwise /m).slice(1);
  const printing = sections
    .filter((section) => /^\| `-o, --output <format>`.*`json`/m.test(section))
    .map((section) => section.split('\n')[0]);
  expect(commandsWithSchema).toEqual(printing.sort());
});

const schemas = commandsWithSchema.map((command) => {
  const text = readFileSync(new URL(`../../../schema/json/${command}.schema.json`, import.meta.url), 'utf8');
  return { command, schema: JSON.parse(text) };
});

it.each(schemas)('the schema of $command is valid, and open for what a later version adds', ({ schema }) => {
  expect(() => new Ajv({ strict: true }).compile(schema)).not.toThrow();
  expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
});

it('a type is the same in each schema', () => {
  const first = new Map<string, unknown>();
  for (const { command, schema } of schemas) {
    for (const [name, definition] of Object.entries(schema.definitions)) {
      expect(definition, `${name} of ${command}`).toEqual(first.get(name) ?? definition);
      first.set(name, definition);
    }
  }
  expect(first.size).toBeGreaterThan(50);
});

it('each line that has values of objects also names the integers that it has as text', () => {
  const wrong = schemas.flatMap(({ command, schema: { definitions } }) =>
    Object.entries<ResponseBody>(definitions)
      .filter(([, { properties }]) => properties?.event !== undefined && properties.integers === undefined)
      .filter(([, type]) => reaches(type, 'Json', definitions))
      .map(([name]) => `${name} of ${command}`),
  );
  expect(wrong).toEqual([]);
});

/** Returns true if a type has a member of another type, however deep. */
function reaches(type: ResponseBody, name: string, definitions: ResponseBody, seen = new Set<string>()): boolean {
  const refs = [...JSON.stringify(type).matchAll(/"#\/definitions\/([^"]*)"/g)].map(([, ref = '']) => decodeURIComponent(ref));
  return refs.some((ref) => {
    if (ref === name) return true;
    if (seen.has(ref)) return false;
    seen.add(ref);
    return reaches(definitions[ref], name, definitions, seen);
  });
}

it('the descriptions are those of the types', () => {
  const { RunSummary } = schemas.find(({ command }) => command === 'deploy')?.schema.definitions ?? {};
  expect(RunSummary.description).toBe('The last event of a run.');
  expect(RunSummary.properties.ok.description).toBe('True if the exit code is 0.');
});

/** A line of a deploy as it is printed. */
const line = { event: 'waiting', stack: 'web', object: 'ConfigMap default/web', for: 'create', timeoutSeconds: 300 };

describe('what the tests print is held against the schemas', () => {
  it.each([
    ['as described', line, undefined],
    ['a member of another type', { ...line, timeoutSeconds: '300' }, /timeoutSeconds must be number/],
    ['a member that no type has', { ...line, seconds: 300 }, /must NOT have additional properties.*seconds/],
    ['a member too little', { ...line, for: undefined }, /must have required property 'for'/],
    ['an event that no type has', { ...line, event: 'wating' }, /has no event wating/],
    ['a word that the type does not have', { ...line, for: 'creation' }, /for must be equal to one of the allowed values/],
  ])('%s', (_, printed, problem) => {
    const check = () => requirePrintedAsDescribed(['deploy', '-o', 'json'], JSON.parse(JSON.stringify(printed)));
    if (problem === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(problem);
  });
});
