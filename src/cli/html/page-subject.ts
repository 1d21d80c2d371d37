import { printable } from '../render/printable.js';
import type { PageSubject } from './page-data.js';

/** The facts that name the subject of a page. */
interface SubjectFacts {
  readonly app?: string | undefined;
  readonly instance?: string | undefined;
  readonly environment?: string | undefined;
  /** The address of the server, or the file of a snapshot. */
  readonly server: string;
  readonly kubeContext?: string | undefined;
}

/**
 * Names the subject of a page.
 *
 * @param what the content of the page, such as `Plan`.
 */
export function pageSubject(what: string, { app, instance, environment, server, kubeContext }: SubjectFacts): PageSubject {
  const of = [
    ...(app === undefined ? [] : [` of ${app}`]),
    ...(instance === undefined ? [] : [`instance ${instance}`]),
    ...(environment === undefined ? [] : [`environment ${environment}`]),
  ].join(', ');
  return {
    title: printable(`${what}${of}`),
    cluster: printable(kubeContext === undefined ? server : `${server} (context ${kubeContext})`),
  };
}
