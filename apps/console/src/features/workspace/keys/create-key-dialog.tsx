import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useSession } from "../../../session/session.ts";
import { Button, Dialog, Form, Link, SecretOnce, ShowAs } from "../../../ui/ui.ts";
import { bodyOf, emptyDraft } from "./key-draft.ts";
import { KeyFields } from "./key-fields.tsx";
import { rightsOf } from "./rights.ts";
import { RightsPanel } from "./rights-panel.tsx";

export function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const { member, environment } = useSession();
  const [draft, setDraft] = useState(emptyDraft);
  const roles = useQuery({ ...read("roles.list"), staleTime: Infinity });
  const create = useWrite("keys.create", { refreshes: ["keys."] });
  if (create.data !== undefined) return <CreatedDialog made={create.data} onClose={onClose} />;
  const role = roles.data?.data.find((one) => one.role === (draft.actor_type === "user" ? member.role : draft.role));
  return (
    <Dialog
      title={`Create ${environment} key`}
      size="lg"
      isOpen
      onClose={onClose}
      actions={
        <>
          <ShowAs operation="keys.create" input={{ body: bodyOf(draft) }} />
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form="create-key" variant="primary" isPending={create.isPending}>
            Create {environment} key
          </Button>
        </>
      }
    >
      <div className="grid gap-5 pb-1 md:grid-cols-[minmax(0,1fr)_16.5rem]">
        <Form id="create-key" onSubmit={() => create.mutate({ body: bodyOf(draft) })} error={create.error}>
          <KeyFields draft={draft} onChange={setDraft} role={role} error={create.error} />
        </Form>
        <RightsPanel rights={rightsOf(role, draft)} />
      </div>
    </Dialog>
  );
}

function CreatedDialog({ made, onClose }: { readonly made: wire.ApiKeyWithText; readonly onClose: () => void }) {
  return (
    <Dialog
      title={`${made.name} created`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Link to={paths.key(made.id)} look="button">
            Open key
          </Link>
          <Button variant="primary" onPress={onClose}>
            I have copied the key
          </Button>
        </>
      }
    >
      <SecretOnce label="API key" secret={made.key} />
    </Dialog>
  );
}
