import { Download } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, toastError, Tooltip } from "../../ui/ui.ts";

/** The rows of the filters as a file; for owners. */
export function Export({ query }: { readonly query: object }) {
  const access = useAccess();
  const [isPending, setPending] = useState(false);
  const mayExport = access.role === "owner";
  const save = async (): Promise<void> => {
    setPending(true);
    try {
      saveAs("audit.csv", await call("audit.export", { query }, {}));
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

function saveAs(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
