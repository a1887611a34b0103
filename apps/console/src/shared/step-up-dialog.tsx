import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { call, isProblem } from "../api/api.ts";
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

/** Asks a person again who they are, with a passkey or a code, for decisions of high risk and changes of what guards. */
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
      write={prove}
      error={begin.error ?? prove.error}
      onSubmit={send}
    >
      <p className="text-muted">
        {method === "totp"
          ? "Enter a code of your authenticator app to confirm this. It counts once, for 5 minutes."
          : "Use your passkey to confirm this. It counts once, for 5 minutes."}
      </p>
      {method === "totp" ? <AuthenticatorCode value={code} onChange={setCode} /> : null}
    </FormDialog>
  );
}

/** A change that was refused until the person proves again who they are. */
interface RefusedChange {
  readonly decisions: wire.StepUpRequest;
  readonly again: () => void;
}

interface StepUp {
  /** Returns an error handler. It opens the dialog if a step-up is asked for, and repeats the change after the proof. */
  readonly orProve: (
    change: NonNullable<wire.StepUpRequest["change"]>,
    again: () => void,
  ) => (error: unknown) => boolean;
  readonly dialog: ReactNode;
}

/** Lets a screen make changes of what guards, which can ask the person again who they are. */
export function useStepUp(): StepUp {
  const [refused, setRefused] = useState<RefusedChange>();
  const orProve: StepUp["orProve"] = (change, again) => (error) => {
    const isAsked = isProblem(error, "step_up_required");
    if (isAsked) setRefused({ decisions: { change }, again });
    return isAsked;
  };
  const dialog =
    refused === undefined ? null : (
      <StepUpDialog
        decisions={refused.decisions}
        onClose={() => setRefused(undefined)}
        onProved={() => {
          setRefused(undefined);
          refused.again();
        }}
      />
    );
  return { orProve, dialog };
}

interface ProofRequest {
  readonly decisions: wire.StepUpRequest;
  /** Undefined to begin again. */
  readonly begun: wire.StepUp | undefined;
  readonly code: string;
}

async function prepared({ decisions, begun, code }: ProofRequest): Promise<wire.StepUp> {
  const { id, passkey_request: request } = begun ?? (await call("step_ups.create", { body: decisions }));
  const proof = request === null ? { code: code.trim() } : { assertion: await askPasskey(request) };
  return await call("step_ups.prove", { path: { id }, body: proof });
}
