import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageFile } from '../../util/package-file.js';
import { escaped, tag } from './markup.js';

/** The directory of the scripts and the style of pages, which the build makes. */
const directory = 'lib/src/cli/html/pages';

/**
 * Returns a page of one file. Its policy permits exactly its own script and style and no request, so that no text in the data can run as a
 * script or reach a network, even if a line of the script put it into the document as markup.
 *
 * @param script the name of the page's script.
 * @param data what the script shows or filters; it is never part of the markup.
 * @param content what a browser shows without the script.
 */
export async function pageHtml(
  script: 'owners-page' | 'diff-page' | 'list-page',
  title: string,
  data: object,
  content = tag('noscript', {}, tag('p', {}, 'This page shows its data by a script, which this browser does not run.')),
): Promise<string> {
  const [code, style] = await Promise.all([shipped(`${script}.js`), shipped('page.css')]);
  const policy = `default-src 'none'; script-src '${digest(code)}'; style-src '${digest(style)}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${content.html}
<script type="application/json" id="data">${jsonForHtml(data)}</script>
<script>${code}</script>
</body>
</html>
`;
}

/** Returns JSON that cannot end the element around it; `<` occurs in strings only. */
export function jsonForHtml(data: object): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

async function shipped(name: string): Promise<string> {
  return (await readFile(packageFile(path.join(directory, name)), 'utf8')).trim();
}
