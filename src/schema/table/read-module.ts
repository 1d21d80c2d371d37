import type { Table } from './table.js';

/** Limits of a module that `fieldwise import` writes; a larger file is another one. */
const maxCharacters = 64 * 1024 * 1024;

/**
 * Reads the table of a generated module from its text, without running it.
 *
 * @param tableOf returns the table of another module by the specifier under which this one imports it
 * @returns undefined if the text is not that of a generated module, or a module that it imports is not to be found
 */
export function readModuleTable(content: string, tableOf: (specifier: string) => Table | undefined): Table | undefined {
  const text = content.replaceAll('\r\n', '\n'); // as version control may write it
  const start = text.length > maxCharacters ? -1 : text.lastIndexOf('export const $table: $.Table = {\n');
  if (start < 0) return undefined;
  const module = /^ {2}module: ("(?:[^"\\]|\\.)*"),$/m.exec(text.slice(start))?.[1];
  const opening = 'get json() { return `';
  const from = text.indexOf(opening, start);
  const to = text.lastIndexOf('`; },\n};');
  if (module === undefined || from < 0 || to < from) return undefined;
  const imported: Table[] = [];
  for (const [, specifier] of text.slice(0, start).matchAll(/^import \{ \$table as \S+ \} from '([^']+)';$/gm)) {
    const table = tableOf(specifier as string);
    if (table === undefined) return undefined;
    imported.push(table);
  }
  try {
    const json = unescaped(text.slice(from + opening.length, to));
    JSON.parse(json);
    return { module: JSON.parse(module) as string, json, imports: () => imported };
  } catch {
    return undefined;
  }
}

/** Returns the value of a template literal as codegen writes it: without substitutions, and with these three escape sequences. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|([\\`$]))/g, (_, code: string | undefined, character: string) => {
    return code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16));
  });
}
