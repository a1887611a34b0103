/** Queues that take turns: by group, and within a group by name. */
export interface TurnQueue<Item> {
  readonly size: number;
  push(group: string, name: string, item: Item): void;
  /** Puts items back, which are next when their group and name have their turn. */
  putBack(group: string, name: string, items: readonly Item[]): void;
  remove(group: string, name: string, item: Item): boolean;
  /** Takes the first items of the next name of the next group: as many as `count` says of all that wait there. */
  take(count: (items: readonly Item[]) => number): readonly Item[];
  sizeOf(group: string): number;
  /** Takes everything of a group. */
  drain(group: string): readonly (readonly [name: string, items: readonly Item[]])[];
}

export function createTurnQueue<Item>(): TurnQueue<Item> {
  const groups = new Map<string, Map<string, Item[]>>();
  let size = 0;

  function queueOf(group: string, name: string): Item[] {
    const names = groups.get(group) ?? new Map<string, Item[]>();
    const items = names.get(name) ?? [];
    groups.set(group, names);
    names.set(name, items);
    return items;
  }

  /** Moves a name and its group to the end, or forgets them if nothing waits there. */
  function turned(group: string, name: string): void {
    const names = groups.get(group);
    const items = names?.get(name) ?? [];
    names?.delete(name);
    if (items.length > 0) names?.set(name, items);
    groups.delete(group);
    if (names !== undefined && names.size > 0) groups.set(group, names);
  }

  return {
    get size() {
      return size;
    },
    push(group, name, item) {
      queueOf(group, name).push(item);
      size += 1;
    },
    putBack(group, name, items) {
      if (items.length === 0) return;
      queueOf(group, name).unshift(...items);
      size += items.length;
    },
    remove(group, name, item) {
      const items = groups.get(group)?.get(name) ?? [];
      const place = items.indexOf(item);
      if (place < 0) return false;
      items.splice(place, 1);
      size -= 1;
      if (items.length === 0) turned(group, name);
      return true;
    },
    take(count) {
      for (const [group, names] of groups)
        for (const [name, items] of names) {
          const taken = items.splice(0, count(items));
          size -= taken.length;
          turned(group, name);
          return taken;
        }
      return [];
    },
    sizeOf: (group) => [...(groups.get(group)?.values() ?? [])].reduce((sum, items) => sum + items.length, 0),
    drain(group) {
      const all = [...(groups.get(group) ?? [])];
      groups.delete(group);
      for (const [, items] of all) size -= items.length;
      return all;
    },
  };
}
