import { Bookmark, BookmarkPlus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { useSession } from "../session/session.ts";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { Menu } from "./menu.tsx";
import type { MenuAction } from "./menu.tsx";
import { toast } from "./toast.tsx";
import { useFilters } from "./url-state.ts";
import type { Filters } from "./url-state.ts";

interface SavedFilter {
  readonly name: string;
  readonly values: Filters;
}

const MOST_SAVED = 50;
const LONGEST_NAME = 60;

/** Gives names to the filters of a list. This browser keeps them, for the member and the environment. */
export function SavedFilters({ list, names }: { readonly list: string; readonly names: readonly string[] }) {
  const [filters, change] = useFilters();
  const [saved, save] = useSaved(list);
  const [isNaming, setNaming] = useState(false);
  const values = Object.fromEntries(
    Object.entries(filters).filter(([name, value]) => value !== "" && names.includes(name)),
  );
  const current = saved.find((one) => isEqual(one.values, values));
  const cleared = Object.fromEntries(names.map((name) => [name, ""]));
  const open = saved.map((one): MenuAction => ({
    id: `open ${one.name}`,
    label: one.name,
    icon: <Bookmark aria-hidden size={14} />,
    onAction: () => change({ ...cleared, ...one.values }),
  }));
  const remove = (current === undefined ? [] : [current]).map((one): MenuAction => ({
    id: "remove",
    label: `Delete “${one.name}”`,
    icon: <Trash2 aria-hidden size={14} />,
    isDangerous: true,
    onAction: () => save(saved.filter((other) => other !== one)),
  }));
  return (
    <>
      {saved.length === 0 ? null : (
        <Menu
          label="Saved filters"
          trigger={
            <Button variant="quiet" size="sm" icon={<Bookmark aria-hidden size={14} />}>
              {current?.name ?? "Saved filters"}
            </Button>
          }
          actions={[...open, ...remove]}
        />
      )}
      {current !== undefined || Object.keys(values).length === 0 ? null : (
        <Button
          variant="quiet"
          size="sm"
          icon={<BookmarkPlus aria-hidden size={14} />}
          onPress={() => setNaming(true)}
          isDisabled={saved.length >= MOST_SAVED}
        >
          Save filters
        </Button>
      )}
      {isNaming ? (
        <NameDialog
          onClose={() => setNaming(false)}
          onName={(name) => {
            save([...saved.filter((one) => one.name !== name), { name, values }]);
            setNaming(false);
            toast("Filters saved.");
          }}
        />
      ) : null}
    </>
  );
}

function NameDialog({ onClose, onName }: { readonly onClose: () => void; readonly onName: (name: string) => void }) {
  const [name, setName] = useState("");
  return (
    <FormDialog
      title="Save filters"
      submitLabel="Save filters"
      isDisabled={name.trim() === ""}
      onSubmit={() => onName(name.trim())}
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="Filters with the same name are replaced. They are saved in this browser. To share them, copy the address of the page."
        placeholder="Failed today"
        maxLength={LONGEST_NAME}
        value={name}
        onChange={setName}
        autoFocus
      />
    </FormDialog>
  );
}

function useSaved(list: string): readonly [readonly SavedFilter[], (saved: readonly SavedFilter[]) => void] {
  const { member, environment } = useSession();
  const key = `junction.filters.${member.id}.${environment}.${list}`;
  const [changes, setChanges] = useState(0);
  const saved = useMemo(() => stored(key, changes), [key, changes]);
  return [
    saved,
    (next) => {
      localStorage.setItem(key, JSON.stringify(next.toSorted((a, b) => a.name.localeCompare(b.name))));
      setChanges(changes + 1);
    },
  ];
}

/** Other programs can write into the storage of a browser. */
function stored(key: string, _changes: number): readonly SavedFilter[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(list) ? list.filter(isSaved) : [];
  } catch {
    return [];
  }
}

function isSaved(one: unknown): one is SavedFilter {
  if (typeof one !== "object" || one === null || !("name" in one) || !("values" in one)) return false;
  const { name, values } = one;
  if (typeof name !== "string" || typeof values !== "object" || values === null) return false;
  return Object.values(values).every((value) => typeof value === "string");
}

function isEqual(a: Filters, b: Filters): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
