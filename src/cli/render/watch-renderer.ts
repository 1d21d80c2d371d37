import type { WatchEvent } from '../../deploy/index.js';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../process/host.js';
import { driftRenderer } from './drift-renderer.js';
import { datedText } from './owners-renderer.js';
import { forPeople, linesText } from './printable.js';
import { warningRenderer } from './warning-renderer.js';

/** Returns a renderer that prints drift as it happens for people, each change with its time and its author. */
export function watchRenderer(host: Host): (event: WatchEvent) => void {
  const [drift, warning] = [driftRenderer(host), warningRenderer(host)];
  const line = forPeople((text: string) => host.raw.stdout(linesText([text])));
  return (event) => {
    if (event.event === 'warning') return warning(event);
    if (event.event === 'watch-summary') return line(summaryText(event));
    if (event.event === 'drift-ended') return line(`${event.at}  ended     ${event.object}  [${event.stack}]`);
    const by = event.by.map(datedText).join('; ');
    line(`${event.at}  ${by === '' ? 'author unknown' : `by ${by}`}`);
    drift(event);
  };
}

function summaryText({ objects, drifted, drifting }: Extract<WatchEvent, { event: 'watch-summary' }>): string {
  return `drift: ${drifted} of ${pluralize(objects, 'object')} drifted, ${drifting} at the end`;
}
