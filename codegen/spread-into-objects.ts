import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { Visitor } from 'rolldown/utils';

/**
 * A step of the build. In Node 20, an object literal that begins with a spread and then gets another member, `{ ...object, name }`, has a
 * hidden class of its own: 300 bytes more for each object, and no code that reads its members is ever optimized for it. With an explicit
 * prototype, the default one, all such objects share a hidden class, and the literal means the same (docs/decisions/74).
 */

const explicitPrototype = '__proto__: Object.prototype, ';

/** Gives the object literals of all modules below a directory an explicit prototype. */
export async function spreadIntoObjects(directory: string): Promise<void> {
  const files = (await readdir(directory, { recursive: true })).filter((name) => /\.c?js$/.test(name));
  await Promise.all(
    files.map(async (name) => {
      const file = path.join(directory, name);
      const code = await readFile(file, 'utf8');
      const changed = withExplicitPrototypes(code);
      if (changed !== code) await writeFile(file, changed);
    }),
  );
}

/** Gives each object literal that begins with a spread, and has another member, an explicit prototype. Lines keep their numbers. */
export function withExplicitPrototypes(code: string): string {
  const positions: number[] = [];
  new Visitor({
    ObjectExpression({ properties }) {
      const [first, ...others] = properties;
      if (first?.type !== 'SpreadElement' || others.length === 0) return;
      if (!others.some((property) => property.type === 'Property' && isNamedProto(property.key))) positions.push(first.start);
    },
  }).visit(parseAst(code));
  let end = 0;
  const parts = positions
    .sort((one, other) => one - other)
    .flatMap((position) => {
      const part = code.slice(end, position);
      end = position;
      return [part, explicitPrototype];
    });
  return [...parts, code.slice(end)].join('');
}

function isNamedProto(key: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): boolean {
  return key.name === '__proto__' || key.value === '__proto__';
}
