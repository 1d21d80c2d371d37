import type { OwnersPageData } from '../page-data.js';
import { element } from './dom.js';
import { nobody } from './filter.js';
import { badge } from './object-table.js';

/** Checkboxes for owners: stacks, and other field managers (tools). */
export interface OwnerChoices {
  readonly groups: readonly HTMLElement[];
  readonly chosen: () => ReadonlySet<number>;
}

/** Makes a group of checkboxes for stacks and one for tools. */
export function ownerChoices({ owners }: OwnersPageData): OwnerChoices {
  const boxes = new Map<number, HTMLInputElement>();
  const choice = (owner: number, ...label: readonly (Node | string)[]) => {
    const box = element('input', { type: 'checkbox', name: 'owner', value: owner });
    boxes.set(owner, box);
    return element('label', {}, box, ' ', ...label);
  };
  const choices = (isStack: boolean) =>
    owners.flatMap((owner, position) => (owner.isStack === isStack ? [choice(position, badge(position), ` ${owner.text}`)] : []));
  const group = (title: string, labels: readonly HTMLElement[]) =>
    element('fieldset', {}, element('legend', {}, title), element('div', { class: 'choices' }, ...labels));
  const stacks = choices(true);
  return {
    groups: [
      ...(stacks.length > 0 ? [group('Fields of stacks', stacks)] : []),
      group('Fields of tools', [...choices(false), choice(nobody, 'no owner')]),
    ],
    chosen: () => new Set([...boxes].flatMap(([owner, box]) => (box.checked ? [owner] : []))),
  };
}
