import { useState } from "react";
import { useAccess } from "../../session/session.ts";
import { SecretName } from "../../shared/shared.ts";
import type { SecretNameProps } from "../../shared/shared.ts";
import { Button, deferred } from "../../ui/ui.ts";

const SecretDialog = deferred(async () => (await import("./secret-dialog.tsx")).SecretDialog);

/** Chooses a stored secret by its name, or stores one. Its value is never shown. */
export function SecretField(props: SecretNameProps) {
  const [isStoring, setStoring] = useState(false);
  const access = useAccess();
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="w-full">
        <SecretName {...props} />
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
