import { useQuery } from "@tanstack/react-query";
import type { wire } from "../../api/api.ts";
import { Card, CodeBlock, CopyButton, ExternalLink, KeyValue, labelOf } from "../../ui/ui.ts";
import { GENERIC, OWN_SCHEME, sampleCommand } from "./sample-request.ts";
import { SENDERS } from "./senders.ts";
import { SetupSteps } from "./setup-steps.tsx";

/** The address, how to set up the sender, how requests are signed, and a request that can be pasted into a terminal. */
export function Connect({ source }: { readonly source: wire.InboundEndpoint }) {
  const senders = useQuery({ ...SENDERS, enabled: source.sender !== null });
  const sender = senders.data?.data.find(({ key }) => key === source.sender);
  return (
    <div className="flex flex-col gap-4">
      <Card title="Connect the sender">
        <div className="flex flex-col gap-4">
          <KeyValue
            rows={[
              {
                label: "URL",
                value: (
                  <span className="inline-flex max-w-full items-start gap-1">
                    <code className="text-sm break-all">{source.url}</code>
                    <CopyButton text={source.url} label="Copy URL" />
                  </span>
                ),
              },
              sender === undefined ? null : { label: "Sender", value: sender.title },
              { label: "Signature", value: labelOf(schemeName(source, sender)) },
              source.signature_header === null
                ? null
                : { label: "Signature header", value: <code>{source.signature_header}</code> },
            ]}
          />
          {sender === undefined ? null : <SetupSteps sender={sender} />}
        </div>
      </Card>
      {source.sender !== null && sender === undefined ? null : <TestRequest source={source} sender={sender} />}
    </div>
  );
}

function schemeName(source: wire.InboundEndpoint, sender: wire.Sender | undefined): string {
  return source.scheme?.kind ?? sender?.scheme.kind ?? source.signature_scheme;
}

interface TestRequestProps {
  readonly source: wire.InboundEndpoint;
  readonly sender: wire.Sender | undefined;
}

function TestRequest({ source, sender }: TestRequestProps) {
  const scheme = source.scheme ?? sender?.scheme ?? OWN_SCHEME;
  const command = sampleCommand(scheme, source.url, sender?.sample ?? GENERIC);
  if (command === undefined) {
    return (
      <Card title="Send a test event">
        <p>
          {sender === undefined ? "Only the sender" : `Only ${sender.title}`} can sign a request to this source. Send a
          test event from there.{" "}
          {sender === undefined ? null : (
            <ExternalLink href={sender.documentation}>Documentation of {sender.title}</ExternalLink>
          )}
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="Send a test event"
      description="Set SECRET to the source's secret and run the commands in a terminal. They send a sample as the sender signs it."
    >
      <CodeBlock label="Signed request" text={command} />
    </Card>
  );
}
