/** A fenced block of a page. */
export interface PageBlock {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** The file that the block is, from `[name]` behind the language. */
  readonly file?: string;
  readonly text: string;
  /** A comment above the block: `not run: REASON`, or a marker of another test, such as `example: NAME`. */
  readonly marker?: { readonly name: string; readonly text: string };
}

const fence = /^( *)(`{3,})([^\n`]*)\n([\s\S]*?)^\1\2 *$/gm;

/** Returns the fenced blocks of a Markdown page in their order. */
export function pageBlocks(page: string): PageBlock[] {
  let line = 1;
  let counted = 0;
  return [...page.matchAll(fence)].map((match) => {
    line += page.slice(counted, match.index).split('\n').length - 1;
    counted = match.index;
    const [, indent = '', , info = '', text = ''] = match;
    const file = /\[([^\]]+)\]/.exec(info)?.[1];
    const marker = /<!-- ([a-z ]+?)(?:: ([^\n]*?))? -->\n\n?$/.exec(page.slice(Math.max(0, match.index - 500), match.index));
    return {
      line,
      language: /^\s*([\w-]*)/.exec(info)?.[1] ?? '',
      ...(file === undefined ? {} : { file }),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      ...(marker ? { marker: { name: marker[1] as string, text: marker[2] ?? '' } } : {}),
    };
  });
}

/** Returns the line of a fence that nothing closes, or undefined: what follows would be text on the page, and no test would run it. */
export function unclosedFence(page: string): number | undefined {
  const rest = page.replaceAll(fence, (block) => block.replaceAll(/[^\n]/g, ''));
  const at = /^ *`{3,}/m.exec(rest);
  return at === null ? undefined : rest.slice(0, at.index).split('\n').length;
}

/** Returns the commands of a block of a shell: one per line, with continued lines joined, without comments. */
export function commandsOf(text: string): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#(?! exit code).*$/, '').trim())
    .filter((line) => line !== '');
}
