/**
 * Returns the path of a page of the documentation, which is part of the package: below the directory in which the package is installed.
 *
 * @param page its path below docs without `.md`, such as `formats`.
 * @param anchor the anchor of a heading.
 */
export function documentPath(page: string, anchor?: string): string {
  return `node_modules/fieldwise/docs/${page}.md${anchor === undefined ? '' : `#${anchor}`}`;
}
