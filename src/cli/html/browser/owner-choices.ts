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
  const key = (position: number) => owners[position]?.text ?? 'no owner';
  const groups = [choices({ name: 'tool', title: 'Fields of tools', key, label }, [...tools, nobody])];
  return stacks.length === 0 ? groups : [choices({ name: 'stack', title: 'Fields of stacks', key, label }, stacks), ...groups];
}
