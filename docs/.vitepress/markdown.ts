import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

interface SiteOptions {
  /** Absolute path of the pages, with a slash at its end. */
  readonly docs: string;
  /** URL below which the repository's files are shown. */
  readonly sources: string;
}

/** What markdown-it passes to a rule about the page. */
interface PageEnvironment {
  /** Path of the page below the pages. */
  readonly relativePath?: string;
}

/**
 * Makes the pages, which are written for readers of the repository and of the package, fit the site: links to files outside of docs lead to the
 * repository, pictures are inlined so that they follow the colors of the site, a block with a file name shows it, code in a line stays as it is
 * written, and on one line if it is short.
 */
export function siteMarkdown(md: MarkdownRenderer, options: SiteOptions): void {
  linkSources(md, options);
  inlinePictures(md, options);
  showFileNames(md);
  keepCodeInLines(md);
}

/** Longer code may be broken, so that it fits on a phone. */
const longestWhole = 32;

function keepCodeInLines(md: MarkdownRenderer): void {
  const code = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
    const token = tokens[index];
    // Vue would evaluate `${{ … }}` of a workflow.
    token?.attrSet('v-pre', '');
    if (token && token.content.length <= longestWhole) token.attrJoin('class', 'whole');
    return code?.(tokens, index, options, env, self) ?? '';
  };
}

/** Returns the anchor of a heading, as GitHub makes it, so that a link works in the repository and on the site. */
export function headingAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');
}

function linkSources(md: MarkdownRenderer, { docs, sources }: SiteOptions): void {
  md.core.ruler.push('links-to-sources', ({ tokens, env }) => {
    const page = path.join(docs, (env as PageEnvironment).relativePath ?? '');
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^(?:[a-z]+:|#|\/)/i.test(href)) continue;
      const target = path.join(path.dirname(page), href);
      if (!target.startsWith(docs)) token.attrSet('href', `${sources}/${path.relative(path.join(docs, '..'), target)}`);
    }
  });
}

function inlinePictures(md: MarkdownRenderer, { docs }: SiteOptions): void {
  const image = md.renderer.rules.image;
  md.renderer.rules.image = (tokens, index, options, env: PageEnvironment, self) => {
    const source = tokens[index]?.attrGet('src') ?? '';
    if (!source.endsWith('.svg')) return image?.(tokens, index, options, env, self) ?? '';
    const file = path.join(docs, path.dirname(env.relativePath ?? ''), source);
    // The style is for readers elsewhere; here the site has the colors.
    const picture = readFileSync(file, 'utf8').replace(/<style>[\s\S]*?<\/style>\s*/, '');
    return `<span class="picture" v-pre>${picture}</span>`;
  };
}

function showFileNames(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    // The rule before this one removes the name.
    const file = /\[([^\]]+)\]/.exec(tokens[index]?.info ?? '')?.[1];
    const html = fence?.(tokens, index, options, env, self) ?? '';
    const isTab = tokens.slice(0, index).reduce((depth, { type }) => depth + (codeGroup[type] ?? 0), 0) > 0;
    if (file === undefined || isTab) return html;
    return `<div class="file"><div class="file-name">${md.utils.escapeHtml(file)}</div>${html}</div>`;
  };
}

/** Within a group of tabs, the tabs show the names. */
const codeGroup: Readonly<Record<string, number>> = { 'container_code-group_open': 1, 'container_code-group_close': -1 };
