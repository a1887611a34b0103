import type { wire } from "../../api/api.ts";
import { curlOf, headerText, numberText } from "../../shared/shared.ts";
import { Card, Code, CodeBlock, JsonTree, Tabs, useUrlState } from "../../ui/ui.ts";

/** The request byte for byte, as the last attempt sent it. */
export function RequestCard({ request }: { readonly request: wire.DeliveryDetail["request"] }) {
  const [tab, setTab] = useUrlState("request", "body");
  if (request === null) {
    return (
      <Card title="Request">
        <p className="text-muted">
          The request is not available. Either nothing was sent yet, or the event was deleted after its retention time.
        </p>
      </Card>
    );
  }
  const bytes = new TextEncoder().encode(request.body).length;
  return (
    <Card
      title="Request"
      description={
        <>
          <Code>{`${request.method} ${request.url}`}</Code> · {numberText(bytes)} bytes in the body, identical in every
          attempt
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
            content: <CodeBlock label="Request headers" text={headerText(request.headers)} />,
          },
          { id: "curl", label: "curl", content: <CodeBlock label="curl command" text={curlOf(request)} /> },
        ]}
      />
    </Card>
  );
}
