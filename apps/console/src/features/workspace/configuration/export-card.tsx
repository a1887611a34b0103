import { Download } from "lucide-react";
import type { wire } from "../../../api/api.ts";
import { useSession } from "../../../session/session.ts";
import { saveFile } from "../../../shared/shared.ts";
import { Button, Card, KeyValue, labelOf } from "../../../ui/ui.ts";

/** Counts the objects of the configuration, and saves it as a file. */
export function ExportCard({ configuration }: { readonly configuration: wire.Configuration }) {
  const { environment } = useSession();
  const counts = Object.entries(configuration).flatMap(([section, objects]) =>
    Array.isArray(objects) && objects.length > 0 ? [{ label: labelOf(section), value: objects.length }] : [],
  );
  return (
    <Card
      title="Export"
      description="Objects have names instead of IDs. Secrets, members, keys, connectors and objects of tenants are not in the file."
      actions={
        <Button
          icon={<Download aria-hidden size={15} />}
          onPress={() =>
            saveFile(
              `junction-${environment}.json`,
              "application/json",
              `${JSON.stringify(configuration, undefined, 2)}\n`,
            )
          }
        >
          Download
        </Button>
      }
    >
      {counts.length === 0 ? (
        <p className="text-muted">This environment has no objects yet. The file contains its settings.</p>
      ) : (
        <KeyValue rows={counts} />
      )}
    </Card>
  );
}
