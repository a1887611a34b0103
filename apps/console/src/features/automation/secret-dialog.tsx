import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import { fieldError, FormDialog, TextField, toast } from "../../ui/ui.ts";

export interface SecretDialogProps {
  readonly name: string;
  readonly onStored: (name: string) => void;
  readonly onClose: () => void;
}

/** Stores a secret under a name. */
export function SecretDialog({ name: begin, onStored, onClose }: SecretDialogProps) {
  const [name, setName] = useState(begin);
  const [value, setValue] = useState("");
  const [hosts, setHosts] = useState("");
  const put = useWrite("secrets.put", { refreshes: ["secrets.list"] });
  const named = hosts.split(/[\s,]+/).filter((host) => host !== "");
  const send = (): void =>
    put.mutate(
      { path: { name: name.trim() }, body: { value, ...(named.length === 0 ? {} : { hosts: named }) } },
      {
        onSuccess: () => {
          toast("Secret stored.");
          onStored(name.trim());
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title="Store secret"
      submitLabel="Store secret"
      judge="service"
      write={put}
      isDisabled={name.trim() === "" || value === ""}
      onSubmit={send}
      onClose={onClose}
    >
      <TextField
        label="Name of the secret"
        description="An existing secret with this name gets the new value."
        mono
        value={name}
        onChange={setName}
      />
      <TextField
        label="Value of the secret"
        description="Stored encrypted, for this environment. It is never shown again."
        mono
        type="password"
        autoComplete="off"
        value={value}
        onChange={setValue}
        {...fieldError(put.error, "/value")}
      />
      <TextField
        label="Hosts"
        description="The hosts that the secret may be sent to, separated by commas. If empty, an existing secret keeps its hosts, and only owners and admins may use a new one."
        placeholder="api.example.com, *.example.com"
        mono
        value={hosts}
        onChange={setHosts}
        {...fieldError(put.error, "/hosts")}
      />
    </FormDialog>
  );
}
