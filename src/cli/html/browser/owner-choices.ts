import type { OwnersPageData } from '../page-data.js';
import { type Choices, choices } from './choices.js';
import { nobody } from './filter.js';
import { badge } from './object-table.js';

/** Makes a group of checkboxes for stacks, and one for other field managers (tools). */
export function ownerChoices({ owners }: OwnersPageData): readonly Choices<number>[] {
  const positions = owners.map((_, position) => position);
  const stacks = positions.filter((position) => owners[position]?.isStack);
  const tools = positions.filter((position) => !owners[position]?.isStack);
  const label = (position: number) => (position === nobody ? ['no owner'] : [badge(position), ` ${owners[position]?.text ?? ''}`]);
  const groups = [choices('Fields of tools', [...tools, nobody], label)];
  return stacks.length === 0 ? groups : [choices('Fields of stacks', stacks, label), ...groups];
}
