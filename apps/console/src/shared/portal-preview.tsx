import { Eye } from "lucide-react";
import { useState } from "react";
import { useWrite } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { useAccess, useSession } from "../session/session.ts";
import { Button, Dialog, ExternalLink, fieldError, FormDialog, RelativeTime, TextField } from "../ui/ui.ts";
import { CAPABILITIES, CapabilityFields } from "./capability-fields.tsx";
import type { Capability } from "./capability-fields.tsx";

const FIRST: readonly Capability[] = ["endpoints", "deliveries", "event_types"];

export interface PortalPreviewProps {
  /** The tenant whose portal is opened. Without one, the dialog asks for it. */
  readonly tenant?: string;
}

/** Opens the portal as a customer sees it, in a new tab and with a session of its own. */
export function PortalPreviewButton({ tenant }: PortalPreviewProps) {
  const [isOpen, setOpen] = useState(false);
  const may = useAccess().may("portal_sessions.create");
  return (
    <>
      <Button icon={<Eye aria-hidden size={15} />} isDisabled={!may} onPress={() => setOpen(true)}>
        Preview portal
      </Button>
      {isOpen ? <PreviewDialog tenant={tenant} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface PreviewDialogProps {
  readonly tenant: string | undefined;
  readonly onClose: () => void;
}

function PreviewDialog({ tenant: fixed, onClose }: PreviewDialogProps) {
  const [tenant, setTenant] = useState(fixed ?? "");
  const [capabilities, setCapabilities] = useState(FIRST);
  const { environment } = useSession();
  const [link, setLink] = useState<wire.NewPortalSession>();
  const create = useWrite("portal_sessions.create", { refreshes: ["portal_sessions."] });
  if (link !== undefined) return <Blocked session={link} onClose={onClose} />;
  const open = async (): Promise<void> => {
    // A browser opens a tab only while it handles the press, not after the answer.
    const tab = window.open("about:blank", "_blank");
    try {
      const session = await create.mutateAsync({ body: { tenant, capabilities: [...capabilities] } });
      if (tab === null) return setLink(session);
      tab.opener = null;
      tab.location.replace(session.url);
      onClose();
    } catch {
      tab?.close();
    }
  };
  return (
    <FormDialog
      title={fixed === undefined ? "Preview portal" : `Preview portal of ${fixed}`}
      onClose={onClose}
      submitLabel="Open portal"
      write={create}
      isDisabled={capabilities.length === 0}
      onSubmit={() => void open()}
    >
      <p className="text-muted">
        Creates a session in the {environment} environment and opens it in a new tab. What you change there is changed
        for this customer, and the audit log records it.
      </p>
      {fixed === undefined ? (
        <TextField
          label="Tenant"
          description="The ID of your customer, such as acme."
          mono
          isRequired
          autoFocus
          value={tenant}
          onChange={setTenant}
          {...fieldError(create.error, "/tenant")}
        />
      ) : null}
      <CapabilityFields
        offered={CAPABILITIES}
        values={capabilities}
        onChange={setCapabilities}
        error={fieldError(create.error, "/capabilities").error}
      />
    </FormDialog>
  );
}

/** Shows the link where the browser did not open a tab. */
function Blocked({ session, onClose }: { readonly session: wire.NewPortalSession; readonly onClose: () => void }) {
  return (
    <Dialog
      title={`Portal of ${session.tenant}`}
      isOpen
      onClose={onClose}
      actions={<Button onPress={onClose}>Done</Button>}
    >
      <p className="text-muted">
        Your browser did not open a new tab. <ExternalLink href={session.url}>Open the portal</ExternalLink>. The link
        works once and expires <RelativeTime at={session.url_expires_at} />.
      </p>
    </Dialog>
  );
}
