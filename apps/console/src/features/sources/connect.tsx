import type { wire } from "../../api/api.ts";
import { Card, KeyValue, Loaded } from "../../ui/ui.ts";
import { schemeLabel, useSenders } from "./senders.ts";
import { SetupSteps } from "./setup-steps.tsx";
import { SourceUrl } from "./source-url.tsx";
import { TestEvent } from "./test-event.tsx";

export interface ConnectProps {
  readonly source: wire.InboundEndpoint;
}

/** Shows the URL, the steps in the sender, and a request that can be pasted into a terminal. */
export function Connect({ source }: ConnectProps) {
  const senders = useSenders({ isNeeded: source.sender !== null });
  if (source.sender === null) return <Guide source={source} sender={null} />;
  return (
    <Loaded query={senders} label="Loading the sender">
      {(all) => <Guide source={source} sender={all.find(({ key }) => key === source.sender) ?? null} />}
    </Loaded>
  );
}

interface GuideProps extends ConnectProps {
  readonly sender: wire.Sender | null;
}

function Guide({ source, sender }: GuideProps) {
  return (
    <div className="flex flex-col gap-4">
      <Card title={sender === null ? "Connect the sender" : `Set up ${sender.title}`} stacked>
        <KeyValue
          rows={[
            { label: "URL", value: <SourceUrl url={source.url} /> },
            { label: sender?.secret.label ?? "Secret", value: "Not shown again. Replace it on the Settings tab." },
            { label: "Signature scheme", value: schemeLabel(source.signature_scheme) },
            source.signature_header === null
              ? null
              : { label: "Signature header", value: <code className="break-all">{source.signature_header}</code> },
          ]}
        />
        {sender === null ? null : <SetupSteps sender={sender} />}
      </Card>
      <Card title="Send a test event">
        <TestEvent source={source} sender={sender} />
      </Card>
    </div>
  );
}
