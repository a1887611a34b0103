import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  ConfirmDialog,
  fieldError,
  FormDialog,
  Menu,
  TagInput,
  TextField,
  toast,
  toastError,
  toastSuccess,
} from "../../ui/ui.ts";

const REFRESHES = ["contacts.", "customers.", "tickets."];

export interface ContactActionsProps {
  readonly contact: wire.Contact;
  readonly title: string;
}

/** Edit, merge, export, delete. */
export function ContactActions({ contact, title }: ContactActionsProps) {
  const [open, setOpen] = useState<"edit" | "merge" | "delete">();
  const close = (): void => setOpen(undefined);
  const access = useAccess();
  return (
    <>
      <Button isDisabled={!access.may("contacts.update")} onPress={() => setOpen("edit")}>
        Edit contact
      </Button>
      <Menu
        label="More"
        trigger={<Button>More</Button>}
        actions={[
          { id: "merge", label: "Merge contact", onAction: () => setOpen("merge") },
          { id: "export", label: "Export all data", onAction: () => void exportOf(contact.id) },
          { id: "delete", label: "Delete and erase", onAction: () => setOpen("delete"), isDangerous: true },
        ]}
      />
      {open === "edit" ? <EditDialog contact={contact} onClose={close} /> : null}
      {open === "merge" ? <MergeDialog contact={contact} onClose={close} /> : null}
      {open === "delete" ? <Deletion contact={contact} title={title} onClose={close} /> : null}
    </>
  );
}

async function exportOf(id: string): Promise<void> {
  try {
    const all = await call("contacts.export", { path: { id } }, {});
    const url = URL.createObjectURL(new Blob([JSON.stringify(all, null, 2)], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${id}.json`;
    link.click();
    URL.revokeObjectURL(url);
  } catch (error) {
    toastError(error);
  }
}

interface PartProps {
  readonly contact: wire.Contact;
  readonly onClose: () => void;
}

function EditDialog({ contact, onClose }: PartProps) {
  const [name, setName] = useState(contact.name ?? "");
  const [stage, setStage] = useState(contact.lifecycle_stage ?? "");
  const [tags, setTags] = useState<readonly string[]>(contact.tags);
  const update = useWrite("contacts.update", { refreshes: REFRESHES });
  const body = {
    name: name === "" ? null : name,
    lifecycle_stage: stage === "" ? null : stage,
    tags: [...tags],
  };
  const send = (): void => update.mutate({ path: { id: contact.id }, body }, toastSuccess("Contact saved.", onClose));
  return (
    <FormDialog
      title="Edit contact"
      size="sm"
      onClose={onClose}
      submitLabel="Save contact"
      write={update}
      onSubmit={send}
    >
      <TextField label="Name" autoFocus value={name} onChange={setName} {...fieldError(update.error, "/name")} />
      <TextField
        label="Stage"
        description="Such as lead, trial, customer or churned."
        value={stage}
        onChange={setStage}
        {...fieldError(update.error, "/lifecycle_stage")}
      />
      <TagInput label="Tags" values={tags} onChange={setTags} {...fieldError(update.error, "/tags")} />
    </FormDialog>
  );
}

function MergeDialog({ contact, onClose }: PartProps) {
  const [into, setInto] = useState("");
  const navigate = useNavigate();
  const merge = useWrite("contacts.merge", { refreshes: REFRESHES });
  return (
    <FormDialog
      title="Merge into another contact"
      size="sm"
      onClose={onClose}
      submitLabel="Merge contacts"
      isDangerous
      write={merge}
      onSubmit={() =>
        merge.mutate(
          { path: { id: contact.id }, body: { into: into.trim() } },
          {
            onSuccess: (kept) => {
              toast("Contacts merged.");
              onClose();
              void navigate({ to: paths.contact(kept.id) });
            },
          },
        )
      }
    >
      <p className="text-muted">
        The timeline, addresses, IDs, tags and tickets move to the other contact. This can't be undone.
      </p>
      <TextField
        label="Target contact ID"
        mono
        isRequired
        autoFocus
        placeholder="con_…"
        value={into}
        onChange={setInto}
        {...fieldError(merge.error, "/into")}
      />
    </FormDialog>
  );
}

function Deletion({ contact, title, onClose }: PartProps & { readonly title: string }) {
  const navigate = useNavigate();
  const remove = useWrite("contacts.delete", { refreshes: REFRESHES });
  return (
    <ConfirmDialog
      title={`Delete ${title}`}
      isOpen
      onClose={onClose}
      confirmLabel="Delete and erase"
      typedName={contact.email ?? contact.id}
      isPending={remove.isPending}
      onConfirm={() =>
        remove.mutate(
          { path: { id: contact.id } },
          {
            onSuccess: () => {
              toast("Contact deleted and erased from stored data.");
              void navigate({ to: paths.contacts });
            },
            onError: (error) => {
              toastError(error);
              onClose();
            },
          },
        )
      }
    >
      <p>The contact, its timeline, and its data in stored receipts and runs are erased. This can't be undone.</p>
    </ConfirmDialog>
  );
}
