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
  return [...page.matchAll(fence)].map((match) => {
    const [, indent = '', , info = '', text = ''] = match;
    const file = /\[([^\]]+)\]/.exec(info)?.[1];
    const marker = /<!-- ([a-z ]+?)(?:: ([^\n]*?))? -->\n\n?$/.exec(page.slice(0, match.index));
    return {
      line: page.slice(0, match.index).split('\n').length,
      language: /^\s*([\w-]*)/.exec(info)?.[1] ?? '',
      ...(file === undefined ? {} : { file }),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      ...(marker ? { marker: { name: marker[1] as string, text: marker[2] ?? '' } } : {}),
    };
  });
}

/** Returns the commands of a block of a shell: one per line, with continued lines joined, without comments. */
export function commandsOf(text: string): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#(?! exit code).*$/, '').trim())
    .filter((line) => line !== '');
}
