import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  ConfirmDialog,
  Dialog,
  fieldError,
  FormDialog,
  SecretOnce,
  TextField,
  toastError,
  toastOutcome,
  toastSuccess,
} from "../../ui/ui.ts";
import { isGivenBySender, useSenders } from "./senders.ts";

const REFRESHES = ["inbound_endpoints."];
const OVERLAP_SECONDS = 86_400;

interface PartProps {
  readonly source: wire.InboundEndpoint;
}

/** Sets or regenerates the secret, and regenerates the URL. */
export function SourceCredentials({ source }: PartProps) {
  const [asks, setAsks] = useState<"own" | "secret" | "token">();
  const access = useAccess();
  const maySecret = access.may("inbound_endpoints.secret.regenerate");
  const isPublic = isGivenBySender(source.scheme);
  const close = (): void => setAsks(undefined);
  return (
    <Card
      title="Secret and URL"
      description="When you replace the secret, the previous secret stays valid for 24 hours, so that no request is rejected."
    >
      <div className="flex flex-wrap gap-2">
        <Button isDisabled={!maySecret} onPress={() => setAsks("own")}>
          Set secret
        </Button>
        {/* A public key or an ARN cannot be generated. */}
        {isPublic ? null : (
          <Button isDisabled={!maySecret} onPress={() => setAsks("secret")}>
            Regenerate secret
          </Button>
        )}
        <Button isDisabled={!access.may("inbound_endpoints.token.regenerate")} onPress={() => setAsks("token")}>
          Regenerate URL
        </Button>
      </div>
      {asks === "own" ? <OwnSecret source={source} onClose={close} /> : null}
      <NewSecret source={source} isAsking={asks === "secret"} onClose={close} />
      <NewUrl source={source} isAsking={asks === "token"} onClose={close} />
    </Card>
  );
}

/** Takes a secret that the sender chose. */
function OwnSecret({ source, onClose }: PartProps & { readonly onClose: () => void }) {
  const [secret, setSecret] = useState("");
  const senders = useSenders({ isNeeded: source.sender !== null });
  const save = useWrite("inbound_endpoints.secret.regenerate", { refreshes: REFRESHES });
  const sender = senders.data?.find(({ key }) => key === source.sender);
  const isPublic = isGivenBySender(source.scheme);
  return (
    <FormDialog
      title="Set secret"
      size="sm"
      onClose={onClose}
      submitLabel="Save secret"
      judge="service"
      write={save}
      onSubmit={() =>
        save.mutate(
          { path: { id: source.id }, body: { secret, overlap_seconds: OVERLAP_SECONDS } },
          toastSuccess("Secret saved.", onClose),
        )
      }
    >
      <TextField
        label={sender?.secret.label ?? "Secret"}
        description={`Paste the secret from ${sender?.title ?? "the sender"}.`}
        type={isPublic ? "text" : "password"}
        mono={isPublic}
        isRequired
        autoFocus
        autoComplete="off"
        spellCheck="false"
        value={secret}
        onChange={setSecret}
        {...fieldError(save.error, "/secret")}
      />
    </FormDialog>
  );
}

interface AskingProps extends PartProps {
  readonly isAsking: boolean;
  readonly onClose: () => void;
}

function NewSecret({ source, isAsking, onClose }: AskingProps) {
  const secret = useWrite("inbound_endpoints.secret.regenerate", { refreshes: REFRESHES });
  return (
    <>
      <ConfirmDialog
        title="Regenerate secret"
        isOpen={isAsking}
        onClose={onClose}
        confirmLabel="Regenerate secret"
        isDangerous={false}
        isPending={secret.isPending}
        onConfirm={() =>
          secret.mutate(
            { path: { id: source.id }, body: { overlap_seconds: OVERLAP_SECONDS } },
            { onError: toastError, onSettled: onClose },
          )
        }
      >
        <p>The current secret stays valid for 24 hours. Store the new secret in the sender within that time.</p>
      </ConfirmDialog>
      {secret.data === undefined ? null : (
        <Dialog title="New secret" size="sm" isOpen onClose={secret.reset}>
          <SecretOnce label="Signing secret" secret={secret.data.secret} />
        </Dialog>
      )}
    </>
  );
}

function NewUrl({ source, isAsking, onClose }: AskingProps) {
  const token = useWrite("inbound_endpoints.token.regenerate", { refreshes: REFRESHES });
  return (
    <ConfirmDialog
      title="Regenerate URL"
      isOpen={isAsking}
      onClose={onClose}
      confirmLabel="Regenerate URL"
      isPending={token.isPending}
      onConfirm={() =>
        token.mutate({ path: { id: source.id } }, { ...toastOutcome("New URL created."), onSettled: onClose })
      }
    >
      <p>Requests to the current URL are rejected immediately.</p>
    </ConfirmDialog>
  );
}
