import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, ComboBox, fieldError, FormDialog, TextField, toast } from "../../ui/ui.ts";
import type { ComboBoxProps } from "../../ui/ui.ts";

export type SecretFieldProps = Pick<ComboBoxProps, "label" | "description" | "error" | "value" | "onChange">;

/** Chooses a stored secret by its name, or stores one. Its value is never shown. */
export function SecretField(props: SecretFieldProps) {
  const [isStoring, setStoring] = useState(false);
  const access = useAccess();
  const secrets = useQuery({ ...read("secrets.list", { query: { limit: 100 } }), staleTime: 60_000, retry: false });
  const options = secrets.data?.data.map(({ name }) => ({ value: name, label: name })) ?? [];
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="w-full">
        <ComboBox {...props} mono options={options} />
      </div>
      <Button size="sm" isDisabled={!access.may("secrets.put")} onPress={() => setStoring(true)}>
        Store secret
      </Button>
      {isStoring ? (
        <StoreDialog name={props.value} onStored={props.onChange} onClose={() => setStoring(false)} />
      ) : null}
    </div>
  );
}

interface StoreDialogProps {
  readonly name: string;
  readonly onStored: (name: string) => void;
  readonly onClose: () => void;
}

function StoreDialog({ name: begin, onStored, onClose }: StoreDialogProps) {
  const [name, setName] = useState(begin);
  const [value, setValue] = useState("");
  const put = useWrite("secrets.put", { refreshes: ["secrets.list"] });
  const send = (): void =>
    put.mutate(
      { path: { name: name.trim() }, body: { value } },
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
      isPending={put.isPending}
      isDisabled={name.trim() === "" || value === ""}
      error={put.error}
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
    </FormDialog>
  );
}
