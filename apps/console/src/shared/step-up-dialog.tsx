import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { askPasskey } from "../session/session.ts";
import { FormDialog } from "../ui/ui.ts";
import { AuthenticatorCode } from "./authenticator-code.tsx";

interface StepUpDialogProps {
  /** The decisions that the proof is for. It must not change while the dialog is open. */
  readonly decisions: wire.StepUpRequest;
  /** Called after the proof. The decision can then be made. */
  readonly onProved: () => void;
  readonly onClose: () => void;
}

/** Asks a person again who they are, with a passkey or a code, for decisions about actions of high risk. */
export function StepUpDialog({ decisions, onProved, onClose }: StepUpDialogProps) {
  const [code, setCode] = useState("");
  const isPressed = useRef(false);
  const prove = useMutation({ mutationFn: prepared, onSuccess: onProved });
  const begin = useMutation({
    mutationFn: async () => await call("step_ups.create", { body: decisions }),
    // A press that came before the answer is done now. A code is not typed yet.
    onSuccess: (begun) => {
      if (isPressed.current && begun.method === "webauthn") prove.mutate({ decisions, begun, code });
    },
  });
  const { mutate } = begin;
  useEffect(() => mutate(), [mutate]);
  const method = begin.data?.method;
  const send = (): void => {
    isPressed.current = true;
    if (begin.data === undefined) return;
    // Each failed answer has used up the challenge.
    const isSecond = prove.isError && method === "webauthn";
    prove.mutate({ decisions, begun: isSecond ? undefined : begin.data, code });
  };
  return (
    <FormDialog
      title="Confirm who you are"
      size="sm"
      onClose={onClose}
      submitLabel={method === "totp" ? "Confirm code" : "Use your passkey"}
      isDisabled={begin.isError}
      isPending={prove.isPending}
      error={begin.error ?? prove.error}
      onSubmit={send}
    >
      <p className="text-muted">
        {method === "totp"
          ? "This workspace asks for a code of your authenticator app before an approval of high risk."
          : "This workspace asks for your passkey before an approval of high risk. It counts once, for 5 minutes."}
      </p>
      {method === "totp" ? <AuthenticatorCode value={code} onChange={setCode} /> : null}
    </FormDialog>
  );
}

interface Proving {
  readonly decisions: wire.StepUpRequest;
  /** Undefined to begin again. */
  readonly begun: wire.StepUp | undefined;
  readonly code: string;
}

async function prepared({ decisions, begun, code }: Proving): Promise<wire.StepUp> {
  const { id, passkey_request: request } = begun ?? (await call("step_ups.create", { body: decisions }));
  const proof = request === null ? { code: code.trim() } : { assertion: await askPasskey(request) };
  return await call("step_ups.prove", { path: { id }, body: proof });
}
