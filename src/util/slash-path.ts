import path from 'node:path';

/**
 * Returns the path from a directory to a file, with `/` on every system: for what is printed, compared, or read by others. On Windows, a file on
 * another drive has its whole path.
 *
 * @param style that of the system; `path.win32` for tests.
 */
export function slashPath(directory: string, file: string, style: path.PlatformPath = path): string {
  return style.relative(directory, file).split(style.sep).join('/');
}
