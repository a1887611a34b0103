import type { wire } from "../../api/api.ts";
import { curlOf, headerText } from "../../shared/shared.ts";
import { Card, Code, CodeBlock, JsonTree, Tabs, useUrlState } from "../../ui/ui.ts";

/** The request byte for byte, as the last attempt sent it. */
export function RequestCard({ request }: { readonly request: wire.DeliveryDetail["request"] }) {
  const [tab, setTab] = useUrlState("request", "body");
  if (request === null) {
    return (
      <Card title="Request">
        <p className="text-muted">
          Nothing was sent yet, or the event was dropped after its time of retention, so the request cannot be shown.
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="Request"
      description={
        <>
          <Code>{`POST ${request.url}`}</Code> · {byteCount(request.body)} of body, the same on every attempt
        </>
      }
    >
      <Tabs
        label="Request"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "body", label: "Body", content: <JsonTree label="Body" text={request.body} depth={4} /> },
          {
            id: "raw",
            label: "Exact bytes",
            content: <CodeBlock label="Exact bytes of the body" text={request.body} />,
          },
          {
            id: "headers",
            label: "Headers",
            content: <CodeBlock label="Headers of the request" text={headerText(request.headers)} />,
          },
          { id: "curl", label: "curl", content: <CodeBlock label="The request as curl" text={curlOf(request)} /> },
        ]}
      />
    </Card>
  );
}

function byteCount(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  return `${new Intl.NumberFormat("en").format(bytes)} bytes`;
}
