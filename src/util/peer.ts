import { FieldwiseError } from './error.js';

/**
 * Returns a package that the program shares with Fieldwise.
 *
 * @throws FieldwiseError `peer-missing` if it is not installed.
 */
export function peer<Package>(name: string, load: () => Package): Package {
  try {
    return load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw cause;
    throw new FieldwiseError('peer-missing', 'usage', `The package ${name} is not installed, which programs share with Fieldwise`, {
      next: 'Run `npm install cdk8s constructs`.',
      cause,
    });
  }
}
