import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  ConfirmDialog,
  Dialog,
  fieldError,
  Form,
  Menu,
  TagInput,
  TextField,
  toast,
  toastError,
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
        Edit…
      </Button>
      <Menu
        label="More"
        trigger={<Button>More</Button>}
        actions={[
          { id: "merge", label: "Merge into another…", onAction: () => setOpen("merge") },
          { id: "export", label: "Export all that is known", onAction: () => void exportOf(contact.id) },
          { id: "delete", label: "Delete, and erase…", onAction: () => setOpen("delete"), isDangerous: true },
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
  const send = (): void =>
    update.mutate(
      { path: { id: contact.id }, body },
      {
        onSuccess: () => {
          toast("Saved.");
          onClose();
        },
      },
    );
  return (
    <Dialog
      title="Edit the contact"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form="edit-contact" variant="primary" isPending={update.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form id="edit-contact" onSubmit={send} error={update.error}>
        <TextField label="Name" autoFocus value={name} onChange={setName} {...fieldError(update.error, "/name")} />
        <TextField
          label="Stage"
          description="Such as lead, trial, customer or churned."
          value={stage}
          onChange={setStage}
          {...fieldError(update.error, "/lifecycle_stage")}
        />
        <TagInput label="Tags" values={tags} onChange={setTags} {...fieldError(update.error, "/tags")} />
      </Form>
    </Dialog>
  );
}

function MergeDialog({ contact, onClose }: PartProps) {
  const [into, setInto] = useState("");
  const navigate = useNavigate();
  const merge = useWrite("contacts.merge", { refreshes: REFRESHES });
  return (
    <Dialog
      title="Merge into another contact"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form="merge" variant="danger" isPending={merge.isPending}>
            Merge
          </Button>
        </>
      }
    >
      <Form
        id="merge"
        error={merge.error}
        onSubmit={() =>
          merge.mutate(
            { path: { id: contact.id }, body: { into: into.trim() } },
            {
              onSuccess: (kept) => {
                toast("They are one contact now.");
                onClose();
                void navigate({ to: paths.contact(kept.id) });
              },
            },
          )
        }
      >
        <p className="text-muted">
          Timeline, addresses, ids, tags and tickets go to the other contact. This cannot be taken back.
        </p>
        <TextField
          label="The contact that stays"
          mono
          isRequired
          autoFocus
          placeholder="con_…"
          value={into}
          onChange={setInto}
          {...fieldError(merge.error, "/into")}
        />
      </Form>
    </Dialog>
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
              toast("The contact is deleted, and erased from what was kept.");
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
      <p>
        The contact, the timeline, and what is kept of them in receipts and runs are erased. This cannot be taken back.
      </p>
    </ConfirmDialog>
  );
}
