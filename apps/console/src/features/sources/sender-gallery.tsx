import type { wire } from "../../api/api.ts";
import { Button, Dialog, Loaded, SearchList } from "../../ui/ui.ts";
import { categoryLabel, useSenders } from "./senders.ts";

/** Stands for a system that the service has no description of. */
export type Origin = wire.Sender | "other";

export interface SenderGalleryProps {
  readonly onChoose: (origin: Origin) => void;
  readonly onClose: () => void;
}

/** Lets the user choose the system that sends, before the source's own fields. */
export function SenderGallery({ onChoose, onClose }: SenderGalleryProps) {
  const senders = useSenders();
  return (
    <Dialog
      title="Choose a sender"
      size="lg"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button onPress={() => onChoose("other")}>Other system</Button>
        </>
      }
    >
      <Loaded query={senders} label="Loading the senders">
        {(all) => (
          <SearchList
            label="Search senders"
            listLabel="Senders"
            placeholder="Name, description or category"
            groups={groupsOf(all)}
            empty="No matching senders. To use a preset or your own scheme, choose Other system."
            onChoose={(value) => onChoose(all.find(({ key }) => key === value) ?? "other")}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

/** Returns the senders by category, in the order of the service. */
function groupsOf(senders: readonly wire.Sender[]) {
  const byCategory = Map.groupBy(senders, ({ category }) => category);
  return [...byCategory]
    .toSorted(([a], [b]) => Number(a === "other") - Number(b === "other") || (a < b ? -1 : 1))
    .map(([category, members]) => ({
      label: categoryLabel(category),
      options: members.map(({ key, title, description }) => ({ value: key, label: title, detail: description })),
    }));
}
