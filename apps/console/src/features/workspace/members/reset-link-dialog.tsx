import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { Button, Checkbox, Dialog, ErrorNote, RelativeTime, SecretOnce } from "../../../ui/ui.ts";

/** Creates a link for a member who forgot their password. It works once, for a day. */
export function ResetLinkDialog({ member, onClose }: { readonly member: wire.Member; readonly onClose: () => void }) {
  const [clearsTotp, setClearsTotp] = useState(false);
  const make = useWrite("members.reset_link");
  return (
    <Dialog
      title={`Password link for ${member.name}`}
      isOpen
      onClose={onClose}
      actions={
        make.data === undefined ? (
          <Button
            variant="primary"
            isPending={make.isPending}
            onPress={() => make.mutate({ path: { id: member.id }, body: { clear_totp: clearsTotp } })}
          >
            Create link
          </Button>
        ) : (
          <Button onPress={onClose}>Done</Button>
        )
      }
    >
      {make.data === undefined ? (
        <div className="flex flex-col gap-3">
          <p className="text-muted">
            Anyone with the link can set a new password. Send it through a channel that only {member.name} can read.
          </p>
          <Checkbox isSelected={clearsTotp} onChange={setClearsTotp}>
            Also remove two-factor authentication (for a lost phone)
          </Checkbox>
          {make.isError ? <ErrorNote error={make.error} /> : null}
        </div>
      ) : (
        <div className="flex flex-col gap-2">
          <SecretOnce label="Password link" secret={make.data.reset_url} />
          <p className="text-sm text-muted">
            The link expires <RelativeTime at={make.data.expires_at} />.
          </p>
        </div>
      )}
    </Dialog>
  );
}
