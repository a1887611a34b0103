import { DatabaseBackup } from "lucide-react";
import { useState } from "react";
import { useSession } from "../session/session.ts";
import { Button, Card, Code, CodeBlock, ExternalLink, KeyValue, RelativeTime } from "../ui/ui.ts";
import type { KeyValueRow } from "../ui/ui.ts";
import { useInstallation } from "./installation.ts";
import type { OperatorFacts } from "./installation.ts";

/** Shows the location of the data and the missing backup, until one was made or the person dismisses the notice; then the time of the last one. */
export function StorageNotice() {
  const installation = useInstallation();
  const { member } = useSession();
  const stored = `junction.no-backup.${member.id}`;
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(stored) !== null);
  if (installation === undefined) return null;
  const { operator } = installation;
  if (operator.last_backup !== null) return <BackedUp operator={operator} last={operator.last_backup} />;
  if (isDismissed) return null;
  const dismiss = (): void => {
    localStorage.setItem(stored, "");
    setDismissed(true);
  };
  return (
    <Card
      title="No backup yet"
      description="If the disk of the database fails, your data is lost. Create a backup now, and repeat it regularly."
      actions={
        <Button size="sm" onPress={dismiss}>
          Dismiss
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <KeyValue rows={rowsOf(operator)} />
        <BackupCommand operator={operator} />
      </div>
    </Card>
  );
}

/** The same facts at any time. */
export function InstallationCard() {
  const installation = useInstallation();
  if (installation === undefined) return null;
  const { base_url: baseUrl, version, operator } = installation;
  const last = operator.last_backup;
  return (
    <Card title="Installation" description="Shown to owners and admins of the first workspace.">
      <div className="flex flex-col gap-4">
        <KeyValue
          rows={[
            { label: "Base URL", value: <Code>{baseUrl}</Code> },
            { label: "Version", value: version },
            ...rowsOf(operator),
            { label: "Last backup", value: last === null ? "None yet" : <BackupOf last={last} /> },
          ]}
        />
        <BackupCommand operator={operator} />
      </div>
    </Card>
  );
}

type LastBackup = NonNullable<OperatorFacts["last_backup"]>;

function BackedUp({ operator, last }: { readonly operator: OperatorFacts; readonly last: LastBackup }) {
  return (
    <p className="flex items-start gap-x-2 px-1 text-sm text-muted">
      <DatabaseBackup aria-hidden size={15} className="mt-0.5 shrink-0" />
      <span className="min-w-0">
        Last backup <BackupOf last={last} />. The data is in <Code>{operator.data_folder}</Code>.
      </span>
    </p>
  );
}

function BackupOf({ last }: { readonly last: LastBackup }) {
  return (
    <>
      <RelativeTime at={last.created_at} />: <Code>{last.file_name}</Code>
    </>
  );
}

function rowsOf(operator: OperatorFacts): KeyValueRow[] {
  const { database, data_folder: folder, database_folder: databaseFolder } = operator;
  const rows: KeyValueRow[] = [
    { label: "Database", value: kindOf(database) },
    { label: "Data folder", value: <Code>{folder}</Code> },
  ];
  if (databaseFolder !== null && databaseFolder !== folder)
    rows.push({ label: "Database folder", value: <Code>{databaseFolder}</Code> });
  return rows;
}

function kindOf(database: OperatorFacts["database"]): string {
  return database === "embedded"
    ? "Embedded PostgreSQL (for evaluation and small installations)"
    : "External PostgreSQL (from DATABASE_URL)";
}

function BackupCommand({ operator }: { readonly operator: OperatorFacts }) {
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p>
        {operator.database === "external"
          ? "To create a backup, run this command on the service's machine, with the service's settings (DATABASE_URL, JUNCTION_MASTER_KEY):"
          : "To create a backup, run this command on the service's machine. The service can keep running:"}
      </p>
      <CodeBlock label="Backup command" text={operator.backup_command} />
      <p className="text-muted">
        Store the backup file and the master key separately, and neither on this machine.{" "}
        <ExternalLink href="/docs/guide/self-hosting#back-up">Back up with Docker or systemd, and restore</ExternalLink>
      </p>
    </div>
  );
}
