import { Dialog, KeyCap } from "../ui/ui.ts";
import { commandKey } from "./key-names.ts";

const KEYS: readonly {
  readonly title: string;
  readonly rows: readonly (readonly [keys: readonly string[], text: string])[];
}[] = [
  {
    title: "Global",
    rows: [
      [[`${commandKey}K`, "/"], "Find a page or an object, or open a pasted ID"],
      [["?"], "Show keyboard shortcuts"],
      [["Esc"], "Close a dialog or menu"],
      [["Tab"], "Next control"],
    ],
  },
  {
    title: "Go to",
    rows: [
      [["g h"], "Home"],
      [["g e"], "Endpoints"],
      [["g d"], "Deliveries"],
      [["g v"], "Events"],
      [["g s"], "Sources"],
      [["g r"], "Receipts"],
      [["g c"], "Contacts"],
      [["g a"], "Approvals"],
      [["g k"], "API keys"],
    ],
  },
  {
    title: "In the delivery log",
    rows: [
      [["↑", "↓"], "Previous or next row"],
      [["PgUp", "PgDn", "Home", "End"], "Previous or next page, first or last row"],
      [["Enter"], "Open row"],
      [["Space"], "Select row"],
      [["Shift ↑", "Shift ↓"], "Select multiple rows"],
    ],
  },
];

export function KeyList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" size="md" isOpen onClose={onClose}>
      <div className="grid gap-6 pb-2 sm:grid-cols-2">
        {KEYS.map((group) => (
          <section key={group.title}>
            <h3 className="pb-2 text-sm font-semibold">{group.title}</h3>
            <dl className="flex flex-col gap-1.5">
              {group.rows.map(([keys, text]) => (
                <div key={text} className="flex items-baseline justify-between gap-4 text-sm">
                  <dt className="text-muted">{text}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {keys.map((key) => (
                      <KeyCap key={key} keys={key} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
