import { describe, expect, it } from 'vitest';
import { StoreAccess } from '../../../src/apiserver/aside/store-access.js';
import { StoreView } from '../../../src/apiserver/aside/store-view.js';
import type { Backend } from '../../../src/apiserver/registry/backend.js';
import { StaleRead, Store } from '../../../src/apiserver/storage/store.js';

const key = (name: string) => ({ resource: '/configmaps', namespace: 'shop', name });
const configMap = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data: { value },
});

function view() {
  const store = new Store();
  store.put(key('first'), configMap('first', 'a'));
  const access = new StoreAccess({ store, catalog: { byName: () => undefined } } as unknown as Backend);
  return { store, seen: new StoreView((call) => access.answer(call)) };
}

describe('the store as a large request sees it', () => {
  it('shows and writes the objects of the store', () => {
    const { store, seen } = view();
    expect(seen.get(key('first'))).toEqual(store.get(key('first')));
    expect(seen.get(key('second'))).toBeUndefined();
    const written = seen.put(key('second'), configMap('second', 'b'));
    expect(store.get(key('second'))).toEqual(written);
    expect(seen.list('/configmaps', 'shop')).toEqual(store.list('/configmaps', 'shop'));
    expect(seen.remove(key('second'))).toMatchObject({ data: { value: 'b' } });
    expect(store.get(key('second'))).toBeUndefined();
  });

  it('shows an object as it was when the request first read it', () => {
    const { store, seen } = view();
    const before = seen.get(key('first'));
    store.put(key('first'), configMap('first', 'z'));
    expect(seen.get(key('first'))).toBe(before);
  });

  it('shows a list as it was when the request first read it, with its own writes', () => {
    const { store, seen } = view();
    const before = seen.list('/configmaps', 'shop');
    store.put(key('third'), configMap('third', 'z'));
    expect(seen.list('/configmaps', 'shop')).toBe(before);
    expect(() => seen.put(key('second'), configMap('second', 'b'))).toThrow(StaleRead);
    const { seen: another } = view();
    expect(another.list('/pods')).toEqual([]);
    another.put({ ...key('web'), resource: '/pods' }, configMap('web', ''));
    expect(another.list('/pods')).toHaveLength(1);
  });

  it.each<[read: string, read: (seen: StoreView) => unknown, change: (store: Store) => unknown]>([
    ['the object', (seen) => seen.get(key('second')), (store) => store.put(key('second'), configMap('second', 'z'))],
    ['another object', (seen) => seen.get(key('first')), (store) => store.put(key('first'), configMap('first', 'z'))],
    ['an object that is gone', (seen) => seen.get(key('first')), (store) => store.remove(key('first'))],
    ['a list', (seen) => seen.list('/configmaps'), (store) => store.put(key('third'), configMap('third', 'z'))],
  ])('writes nothing after others changed %s that the request has read', (_, read, change) => {
    const { store, seen } = view();
    read(seen);
    change(store);
    const { revision } = store;
    expect(() => seen.put(key('second'), configMap('second', 'b'))).toThrow(StaleRead);
    expect(() => seen.remove(key('first'))).toThrow(StaleRead);
    expect(store.revision).toBe(revision);
  });
});
