import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Button, Dialog, Disclosure, KeyValue, Link, SecretOnce } from "../../ui/ui.ts";
import { SetupSteps } from "./setup-steps.tsx";
import { SourceUrl } from "./source-url.tsx";
import { TestEvent } from "./test-event.tsx";

export interface SourceCreatedProps {
  readonly made: wire.InboundEndpointWithSecret;
  readonly sender: wire.Sender | null;
  /** True if the user entered the secret, which is then not shown again. */
  readonly isSecretKnown: boolean;
  readonly onClose: () => void;
}

/** Shows the next steps after a source was created. */
export function SourceCreated({ made, sender, isSecretKnown, onClose }: SourceCreatedProps) {
  return (
    <Dialog
      title="Source created"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Link to={paths.source(made.id)} look="primary">
            Open source
          </Link>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <KeyValue rows={[{ label: "URL", value: <SourceUrl url={made.url} /> }]} />
        {isSecretKnown ? null : <Secret made={made} sender={sender} />}
        {sender === null ? null : <SetupSteps sender={sender} />}
        {sender === null ? null : (
          <Disclosure title="Send a test event">
            <TestEvent source={made} sender={sender} />
          </Disclosure>
        )}
      </div>
    </Dialog>
  );
}

/** A secret that the sender chooses is not shown: the generated one would never match. */
function Secret({ made, sender }: Pick<SourceCreatedProps, "made" | "sender">) {
  if (sender?.secret.given_by !== "sender") {
    return <SecretOnce label={sender?.secret.label ?? "Signing secret"} secret={made.secret} />;
  }
  return (
    <p>
      Add the {sender.secret.label} on the source's Settings tab when {sender.title} shows it. Until then, its requests
      are rejected.
    </p>
  );
}
