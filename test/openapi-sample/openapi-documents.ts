import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/util/json.js';

export const sampleDirectory = fileURLToPath(new URL('documents', import.meta.url));

/** The OpenAPI documents of the sample beside this file, or of the directory in `OPENAPI`: `npm run campaign -- openapi`. */
export function openApiDocuments(): { readonly name: string; readonly document: JsonObject }[] {
  const directory = process.env.OPENAPI ? resolve(process.env.OPENAPI) : sampleDirectory;
  const names = readdirSync(directory).filter((name) => name.endsWith('.json') && name !== 'index.json');
  return names.map((name) => ({ name, document: JSON.parse(readFileSync(join(directory, name), 'utf8')) }));
}
