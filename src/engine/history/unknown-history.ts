import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { StackHistory } from './history-store.js';

/**
 * Returns a warning for the lists of revisions of which the inventory of their stack knows nothing: one for all of them.
 *
 * @param records the run is about to write a revision to the history.
 */
export function unknownHistoryWarnings(
  { stack: { stack }, name: used, object, unknown }: StackHistory,
  namespace: string,
  { records = false }: { readonly records?: boolean } = {},
): readonly RunDiagnostic[] {
  if (unknown.length === 0) return [];
  const names = unknown.map(({ name }) => name);
  const [secrets, them] = names.length === 1 ? ['Secret', 'it'] : ['Secrets', 'them'];
  const begins = records && used !== undefined && object === undefined ? `. This deploy begins another list, ${used}` : '';
  const trusted = unknown.filter(({ revisions }) => revisions.length > 0).map(({ name }) => name);
  const wayBack =
    trusted.length === 0
      ? ''
      : `\`fieldwise rollback NUMBER ${stack} --trust-history ${trusted.length === 1 ? trusted[0] : 'SECRET'}\` goes back to a revision of ${trusted.length === 1 ? 'it' : 'one'}, if you know where it comes from. `;
  return [
    {
      event: 'warning',
      code: 'history-unknown',
      message: `The inventory of stack ${stack} does not know ${secrets} ${names.join(', ')} in Namespace ${namespace}, and nothing uses ${them} as the history${begins}`,
      next: `${wayBack}\`kubectl delete secret ${names.length === 1 ? names[0] : 'SECRET'} --namespace ${namespace}\` removes ${names.length === 1 ? 'it' : 'one'}.`,
    },
  ];
}
