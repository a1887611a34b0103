import { useEffect, useRef, useState } from "react";

/** Keeps the focus on the pressed button after a move, or on the opposite button at the end of the list. */
export function useMoved(): { readonly said: string; tell(key: string, by: -1 | 1, words: string): void } {
  const [said, setSaid] = useState("");
  const wanted = useRef<readonly string[]>([]);
  useEffect(() => {
    const ids = wanted.current;
    if (ids.length === 0) return;
    wanted.current = [];
    const buttons = ids.map((id) => document.querySelector<HTMLButtonElement>(`#${id}`));
    buttons.find((button) => button !== null && !button.disabled)?.focus();
  });
  return {
    said,
    tell(key, by, words) {
      wanted.current = by === -1 ? [`${key}-up`, `${key}-down`] : [`${key}-down`, `${key}-up`];
      setSaid(words);
    },
  };
}
