import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { saveFile } from "../../shared/shared.ts";
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
  useWireForm,
} from "../../ui/ui.ts";

const REFRESHES = ["contacts.", "customers.", "tickets."];

/** Edit, merge, export, delete. */
export function ContactActions({ contact, title }: { readonly contact: wire.Contact; readonly title: string }) {
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
    saveFile(`${id}.json`, "application/json", JSON.stringify(all, null, 2));
  } catch (error) {
    toastError(error);
  }
}

interface PartProps {
  readonly contact: wire.Contact;
  readonly onClose: () => void;
}

function EditDialog({ contact, onClose }: PartProps) {
  const { name, lifecycle_stage, tags } = contact;
  const update = useWrite("contacts.update", { refreshes: REFRESHES });
  const form = useWireForm({ name, lifecycle_stage, tags }, update.error);
  const send = (): void =>
    update.mutate({ path: { id: contact.id }, body: form.value }, toastSuccess("Contact saved.", onClose));
  return (
    <FormDialog
      title="Edit contact"
      size="sm"
      onClose={onClose}
      submitLabel="Save contact"
      write={update}
      onSubmit={send}
    >
      <TextField label="Name" autoFocus {...form.text("/name", null)} />
      <TextField
        label="Stage"
        description="Such as lead, trial, customer or churned."
        {...form.text("/lifecycle_stage", null)}
      />
      <TagInput label="Tags" {...form.tags("/tags")} />
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
