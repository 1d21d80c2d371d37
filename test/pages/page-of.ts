import { readFileSync } from 'node:fs';

/** Returns the data in a page that a command wrote. */
export function pageDataOf<Data>(file: string): Data {
  const [, json] = /<script type="application\/json" id="data">(.*)<\/script>/.exec(readFileSync(file, 'utf8')) ?? [];
  if (json === undefined) throw new Error(`${file} is not a page with data`);
  return JSON.parse(json) as Data;
}
