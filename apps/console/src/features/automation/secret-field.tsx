import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, ComboBox, deferred } from "../../ui/ui.ts";
import type { ComboBoxProps } from "../../ui/ui.ts";

const SecretDialog = deferred(async () => (await import("./secret-dialog.tsx")).SecretDialog);

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
        <SecretDialog name={props.value} onStored={props.onChange} onClose={() => setStoring(false)} />
      ) : null}
    </div>
  );
}
