import { Download } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { saveFile } from "../../shared/shared.ts";
import { Button, toastError, Tooltip } from "../../ui/ui.ts";

/** The rows of the filters as a file; for owners. */
export function Export({ query }: { readonly query: object }) {
  const access = useAccess();
  const [isPending, setPending] = useState(false);
  const mayExport = access.role === "owner";
  const save = async (): Promise<void> => {
    setPending(true);
    try {
      saveFile("audit.csv", "text/csv", await call("audit.export", { query }, {}));
    } catch (error) {
      toastError(error);
    } finally {
      setPending(false);
    }
  };
  const button = (
    <Button
      icon={<Download aria-hidden size={15} />}
      isDisabled={!mayExport}
      isPending={isPending}
      onPress={() => void save()}
    >
      Export CSV
    </Button>
  );
  return mayExport ? button : <Tooltip text="Only owners can export the audit log.">{button}</Tooltip>;
}
