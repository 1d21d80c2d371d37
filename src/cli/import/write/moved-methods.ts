import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { GeneratedFile } from '../../../../codegen/index.js';
import { builderMethods, decodeTable, deducedName, readModuleTable } from '../../../schema/index.js';
import { requirePlainPath } from './plain-path.js';

/**
 * Returns a sentence for each method that set one field in the module as it was, and sets another one in the module as it will be: a CRD with
 * `foo-bar` has gained `fooBar`, so that `withFooBar` sets that field now. No compiler sees it if the types agree.
 *
 * @throws FieldwiseError `output-is-link`, `output-not-generated`.
 */
export async function movedMethods(
  files: readonly GeneratedFile[],
  { cwd, output }: { readonly cwd: string; readonly output: string },
): Promise<readonly string[]> {
  const moved: string[] = [];
  for (const { path, text } of files) {
    if (!path.endsWith('.ts')) continue;
    await requirePlainPath(resolve(cwd, output), path, output);
    const before = methodsOf(await readFile(resolve(cwd, output, path), 'utf8').catch(() => ''));
    if (before.size === 0) continue;
    for (const [method, field] of methodsOf(text)) {
      const earlier = before.get(method);
      if (earlier === undefined || earlier === field) continue;
      moved.push(
        `${method} of ${join(output, path)} set the field ${JSON.stringify(earlier)}, and now sets ${JSON.stringify(field)}: check its calls`,
      );
    }
  }
  return moved;
}

/** Returns the field that each method of a module sets, by `TYPE.METHOD`. */
function methodsOf(text: string): ReadonlyMap<string, string> {
  // Only names of types and fields matter here, so the tables of other modules may be empty.
  const table = readModuleTable(text, (module) => ({ module, json: '{"types":{},"roots":{}}', imports: () => [] }));
  const methods = new Map<string, string>();
  if (table === undefined) return methods;
  const schema = decodeTable(table);
  const { types } = JSON.parse(table.json) as { readonly types: object };
  for (const name of Object.keys(types)) {
    const map = schema.types.get(`${table.module}.${name}`)?.map;
    if (map === undefined) continue;
    const fields = new Map([...map.fields.keys()].map((field) => [field, { type: { name: deducedName } }]));
    for (const { method, wireName } of builderMethods(schema, { map: { ...map, fields } }).methods)
      methods.set(`${name}.${method}`, wireName);
  }
  return methods;
}
