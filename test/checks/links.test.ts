import { expect, test } from 'vitest';
import { deadLinksIn } from './links.js';

const files: Readonly<Record<string, string>> = {
  'README.md': '',
  'docs/a.md': '# A title, `with` code\n\n```md\n# no heading\n```\n',
  'examples/one/main.ts': '',
};

test.each([
  { link: 'docs/a.md', dead: undefined },
  { link: 'docs/a.md#a-title-with-code', dead: undefined },
  { link: 'docs/a.md#no-heading', dead: 'names no heading' },
  { link: 'examples', dead: undefined },
  { link: 'examples/one/', dead: undefined },
  { link: 'examples/two', dead: 'is not in the package' },
  { link: 'docs/b.md', dead: 'is not in the package' },
  { link: '../elsewhere.md', dead: 'is not in the package' },
  { link: 'https://example.com/docs/b.md', dead: undefined },
])('$link', ({ link, dead }) => {
  const texts = { ...files, 'README.md': `See [this](${link}), and \`[not](this)\`.` };
  expect(deadLinksIn(Object.keys(texts), (path) => texts[path as keyof typeof texts])).toEqual(
    dead === undefined ? [] : [`README.md: ${link} ${dead}`],
  );
});
