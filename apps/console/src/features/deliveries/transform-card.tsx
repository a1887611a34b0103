import type { wire } from "../../api/api.ts";
import { Card, CodeBlock, prettyJson } from "../../ui/ui.ts";

/** Shows what a transformation read before it made the request. */
export function TransformCard({ transform }: { readonly transform: NonNullable<wire.DeliveryDetail["transform"]> }) {
  const { version, before, log } = transform;
  return (
    <Card
      title="Before the transformation"
      description={`Version ${version} of the endpoint's transformation made the request above from this event.`}
    >
      <div className="flex min-w-0 flex-col gap-3">
        <CodeBlock label="Event before the transformation" text={prettyJson(before)} />
        {log.length === 0 ? null : <CodeBlock label="Log of the transformation" text={log.join("\n")} />}
      </div>
    </Card>
  );
}
