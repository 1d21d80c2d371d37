import pc from 'picocolors';
import type { PlannedField, PlannedObject, PlanSummary } from '../../deploy/index.js';
import type { Host } from '../host.js';
import { counted, valueText } from './values.js';

/** Writes a plan for a person: the plan itself is data and goes to stdout. */
export function humanPlan(host: Host): (event: PlannedObject | PlanSummary) => void {
  const colours = pc.createColors(host.colour);
  return (event) => {
    const lines = event.event === 'plan' ? objectLines(event) : summaryLines(event);
    host.stdout(lines.map((line) => `${line}\n`).join(''));
  };

  function objectLines(object: PlannedObject): string[] {
    const notes = [object.adopts && 'adopts it: this stack did not create it', object.reason].filter((note) => note);
    const head = `${paint(object)(object.action.padEnd(9))} ${object.object}  [${object.stack}, ${object.source}]`;
    const shown = object.fields.filter((field) => field.change !== 'same');
    const lines = [`${head}${notes.length > 0 ? `  ${notes.join('; ')}` : ''}`, ...shown.map((field) => `    ${fieldText(field)}`)];
    if (object.error) {
      const [declaration] = object.declaredBy;
      const blame = declaration ? ` Declared by ${declaration.construct}${declaration.source ? ` (${declaration.source})` : ''}.` : '';
      lines.push(`    ${colours.red(`${object.error.message}.`)}${blame} ${object.error.next ?? ''} [${object.error.code}]`);
    }
    return lines;
  }

  function paint(object: PlannedObject): (text: string) => string {
    if (object.action === 'blocked') return colours.red;
    if (object.action === 'create' || object.action === 'update') return colours.green;
    if (object.action === 'delete' || object.action === 'release') return colours.yellow;
    return colours.dim;
  }

  function summaryLines(summary: PlanSummary): string[] {
    const counts = Object.entries(summary.counts).map(([action, number]) => `${number} ${action}`);
    const facts = [
      counts.join(', ') || 'nothing declared',
      summary.adopts > 0 ? `adopts ${counted(summary.adopts, 'object')}` : '',
      summary.takes > 0 ? `takes ${counted(summary.takes, 'field')} from others` : '',
    ];
    return [`plan: ${facts.filter((fact) => fact !== '').join('; ')}`];
  }
}

function fieldText({ field, change, oldValue, newValue, owners }: PlannedField): string {
  const by = owners && owners.length > 0 ? owners.join(', ') : '';
  const head = `${change.padEnd(9)} ${field}`;
  switch (change) {
    case 'set':
    case 'same':
      return `${head}: ${valueText(newValue)}`;
    case 'change':
      return `${head}: ${valueText(oldValue)} → ${valueText(newValue)}`;
    case 'co-own':
      return `${head}: ${valueText(newValue)}, also owned by ${by}`;
    case 'take':
    case 'conflict':
      return `${head}: ${valueText(oldValue)} → ${valueText(newValue)}, from ${by}`;
    case 'yield':
      return `${head}: stays ${valueText(oldValue)}, owned by ${by}`;
    case 'removed':
      return `${head}: was ${valueText(oldValue)}`;
    case 'defaulted':
      return `${head}: ${valueText(oldValue)} → ${valueText(newValue)} by default`;
    case 'kept':
      return `${head}: stays ${valueText(newValue)}, owned by ${by}`;
  }
}
