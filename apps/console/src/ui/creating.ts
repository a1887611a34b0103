import { useState } from "react";
import { useNavigate } from "./navigation.ts";

/**
 * Returns true while the dialog that creates an object is open. `isNew` is true on the page `…/new`, which opens it; to close it leads
 * to the list.
 */
export function useCreating(isNew: boolean, list: string): readonly [boolean, (isCreating: boolean) => void] {
  const [isCreating, setCreating] = useState(isNew);
  const navigate = useNavigate();
  return [
    isCreating,
    (next) => {
      setCreating(next);
      if (!next && isNew) navigate({ to: list, replace: true });
    },
  ];
}
