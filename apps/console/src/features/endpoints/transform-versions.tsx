import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { usePortal } from "../../session/session.ts";
import { Button, Card, Code, EmptyState, LoadedPages, RelativeTime, Table, wordsOf } from "../../ui/ui.ts";

interface TransformVersionsProps {
  readonly endpointId: string;
  /** Puts an earlier version into the fields. */
  readonly onUse: (transform: wire.WebhookEndpoint["transform"]) => void;
}

interface AuthorProps {
  readonly author: wire.TransformVersion["author"];
  readonly isPortal: boolean;
}

/** Names the author. Customers see who of themselves it was; the people who run the service for them have no names there. */
function Author({ author, isPortal }: AuthorProps) {
  if (author === null) return isPortal ? "Support" : "Unknown";
  if (isPortal) return "You";
  return author.name === null ? <Code>{author.id ?? ""}</Code> : <bdi>{author.name}</bdi>;
}

/** Lists the versions of a transformation with their authors. */
export function TransformVersions({ endpointId, onUse }: TransformVersionsProps) {
  const pages = usePages("webhook_endpoints.transform.versions", { path: { id: endpointId }, query: { limit: 20 } });
  const isPortal = usePortal() !== undefined;
  const empty = <EmptyState title="No versions">The endpoint has had no transformation yet.</EmptyState>;
  return (
    <Card title="Versions" description="Each change of the transformation makes a version." flush>
      <LoadedPages pages={pages} label="Loading the versions" empty={empty}>
        {(rows) => (
          <Table
            label="Versions"
            rows={rows}
            keyOf={(row) => String(row.version)}
            columns={[
              { header: "Version", cell: (row) => row.version },
              { header: "Kind", cell: (row) => (row.transform === null ? "Removed" : wordsOf(row.transform.kind)) },
              { header: "Author", cell: ({ author }) => <Author author={author} isPortal={isPortal} /> },
              { header: "Created", cell: (row) => <RelativeTime at={row.created_at} /> },
              {
                header: "Action",
                cell: (row) => (
                  <Button aria-label={`Edit version ${row.version}`} onPress={() => onUse(row.transform)}>
                    Edit
                  </Button>
                ),
              },
            ]}
          />
        )}
      </LoadedPages>
    </Card>
  );
}
