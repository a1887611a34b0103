import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, readAll, refresh, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { createPasskey, useSession } from "../../../session/session.ts";
import { Button, Card, Form, FormDialog, Loaded, RelativeTime, TextField, toast } from "../../../ui/ui.ts";
import { useStepUp } from "../../../shared/shared.ts";
import { AccountName } from "./account-name.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

const REFRESHES = ["auth.passkeys.", "auth.session", "members."];

/** The passkeys and security keys of the person, as second factor. */
export function PasskeysCard() {
  const passkeys = useQuery(readAll("auth.passkeys.list"));
  const [recovery, setRecovery] = useState<readonly string[]>([]);
  const [changed, setChanged] = useState<{ readonly passkey: wire.Passkey; readonly change: "rename" | "remove" }>();
  return (
    <Card
      title="Passkeys and security keys"
      description="Sign in with your password and a fingerprint, a PIN or a key that you plug in. Approvals of high risk can require one too."
    >
      <div className="flex flex-col gap-4">
        {recovery.length === 0 ? null : (
          <RecoveryCodes
            label="Recovery codes for passkeys"
            codes={recovery}
            doneLabel="I have saved the recovery codes"
            onDone={() => setRecovery([])}
          >
            You can use each code once instead of a passkey.
          </RecoveryCodes>
        )}
        <Loaded query={passkeys} label="Loading your passkeys" lines={2}>
          {(list) => (
            <ul className="flex flex-col gap-2">
              {list.length === 0 ? <li className="text-muted">You have no passkey.</li> : null}
              {list.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} onChange={(change) => setChanged({ passkey, change })} />
              ))}
            </ul>
          )}
        </Loaded>
        <AddForm onAdded={setRecovery} />
      </div>
      {changed?.change === "rename" ? (
        <RenameDialog passkey={changed.passkey} onClose={() => setChanged(undefined)} />
      ) : null}
      {changed?.change === "remove" ? (
        <RemoveDialog passkey={changed.passkey} onClose={() => setChanged(undefined)} />
      ) : null}
    </Card>
  );
}

interface RowProps {
  readonly passkey: wire.Passkey;
  readonly onChange: (change: "rename" | "remove") => void;
}

function PasskeyRow({ passkey, onChange }: RowProps) {
  const { name, created_at: createdAt, last_used_at: usedAt } = passkey;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3">
      <span className="flex min-w-0 flex-col">
        <bdi className="font-medium wrap-anywhere">{name}</bdi>
        <span className="text-sm text-muted">
          Added <RelativeTime at={createdAt} />
          {usedAt === null ? ", never used" : null}
          {usedAt === null ? null : (
            <>
              , last used <RelativeTime at={usedAt} />
            </>
          )}
        </span>
      </span>
      <span className="flex gap-2">
        <Button size="sm" aria-label={`Rename ${name}`} onPress={() => onChange("rename")}>
          Rename
        </Button>
        <Button size="sm" aria-label={`Remove ${name}`} onPress={() => onChange("remove")}>
          Remove
        </Button>
      </span>
    </li>
  );
}

/** Asks for the password or the second factor, then for the key, and registers it. */
function AddForm({ onAdded }: { readonly onAdded: (codes: readonly string[]) => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const client = useQueryClient();
  const stepUp = useStepUp();
  const { member } = useSession();
  const add = async (): Promise<void> => {
    setPending(true);
    setError(null);
    try {
      const options = await call("auth.passkeys.begin", { body: password === "" ? {} : { password } });
      const credential = await createPasskey(options);
      const made = await call("auth.passkeys.create", { body: { name: name.trim(), credential } });
      setName("");
      setPassword("");
      toast("Passkey added.");
      onAdded(made.recovery_codes);
      await refresh(client, REFRESHES);
    } catch (failure) {
      if (!stepUp.orProve({ operation: "auth.passkeys.begin" }, () => void add())(failure)) setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <Form onSubmit={() => void add()} error={error} label="Add a passkey">
      <TextField label="Name of the key" isRequired maxLength={60} value={name} onChange={setName} />
      {member.totp_active || member.passkey_active ? null : (
        <>
          <AccountName />
          <TextField
            label="Password for a new key"
            description="Not needed just after you signed in with OpenID Connect."
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
          />
        </>
      )}
      {stepUp.dialog}
      <div>
        <Button type="submit" isPending={isPending}>
          Add passkey
        </Button>
      </div>
    </Form>
  );
}

interface DialogProps {
  readonly passkey: wire.Passkey;
  readonly onClose: () => void;
}

function RenameDialog({ passkey, onClose }: DialogProps) {
  const [name, setName] = useState(passkey.name);
  const rename = useWrite("auth.passkeys.update", { refreshes: REFRESHES });
  return (
    <FormDialog
      title="Rename passkey"
      size="sm"
      onClose={onClose}
      submitLabel="Save name"
      write={rename}
      onSubmit={() => rename.mutate({ path: { id: passkey.id }, body: { name: name.trim() } }, { onSuccess: onClose })}
    >
      <TextField label="Name" isRequired maxLength={60} autoFocus value={name} onChange={setName} />
    </FormDialog>
  );
}

function RemoveDialog({ passkey, onClose }: DialogProps) {
  const [code, setCode] = useState("");
  const stepUp = useStepUp();
  const { member } = useSession();
  const remove = useWrite("auth.passkeys.delete", { refreshes: REFRESHES });
  const send = (): void =>
    remove.mutate(
      { path: { id: passkey.id }, body: code.trim() === "" ? {} : { code: code.trim() } },
      {
        onError: stepUp.orProve({ operation: "auth.passkeys.delete", id: passkey.id }, () => send()),
        onSuccess: () => {
          toast("Passkey removed.");
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title="Remove passkey"
      size="sm"
      onClose={onClose}
      submitLabel="Remove passkey"
      isDangerous
      write={remove}
      onSubmit={send}
    >
      <p className="text-muted">
        <bdi>{passkey.name}</bdi> no longer works from then on.
        {member.totp_active ? "" : " Without another second factor, your password alone signs you in."}
      </p>
      <TextField
        label="Recovery code"
        description="Only if you have lost your passkeys. Otherwise you are asked for one."
        autoComplete="one-time-code"
        mono
        value={code}
        onChange={setCode}
      />
      {stepUp.dialog}
    </FormDialog>
  );
}
