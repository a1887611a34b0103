import type { wire } from "../../api/api.ts";
import { CodeBlock, Disclosure } from "../../ui/ui.ts";
import { senderCommand, serviceCommand } from "./shell-command.ts";

const SAMPLE: wire.SenderSample = {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: `{"type":"payment.received","id":"evt_1","data":{"email":"ada@example.com","amount":1250}}`,
};

export interface TestEventProps {
  readonly source: wire.InboundEndpoint;
  readonly sender: wire.Sender | null;
}

/** Shows a command that sends a signed sample, or explains how the sender itself sends a test event. */
export function TestEvent({ source, sender }: TestEventProps) {
  const input = { url: source.url, scheme: source.scheme, sample: sender?.sample ?? SAMPLE };
  const [own, service] = [senderCommand(input), serviceCommand(input)];
  const first = own ?? service;
  if (first === undefined) return <ByTheSender source={source} sender={sender} />;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-muted">
        Replace <code>…</code> in the first line with the source's secret, and paste the command into a terminal (bash
        or zsh). A repeated request counts as a duplicate.
      </p>
      {own === undefined ? (
        <p className="text-sm text-muted">
          The command signs with <code>X-Service-Inbound-Signature</code>, which this source accepts in addition to the
          sender's own signature.
        </p>
      ) : null}
      <CodeBlock label="Signed request" text={first} />
      {service === undefined || service === first ? null : (
        <Disclosure title="Sign with X-Service-Inbound-Signature">
          <p className="pb-2 text-sm text-muted">
            This source also accepts the hex HMAC-SHA256 of the body, if the sender's own header is missing.
          </p>
          <CodeBlock label="Request with the service's signature" text={service} />
        </Disclosure>
      )}
    </div>
  );
}

function ByTheSender({ source, sender }: TestEventProps) {
  const title = sender?.title ?? "the sender";
  const example = sender?.event_types[0];
  return (
    <p>
      {REASONS[source.scheme.kind] ?? "The proof of this sender is a part of the request's body."} To test the source,
      trigger an event in {title}
      {example === undefined ? "" : ", such as "}
      {example === undefined ? null : <code>{example}</code>}. The request appears under Receipts as soon as it arrives.
    </p>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ed25519: "Only the sender has the private key that signs its requests.",
  ecdsa_p256: "Only the sender has the private key that signs its requests.",
  jwt: "The sender signs its requests with a JSON Web Token.",
  sns: "Only Amazon has the private key that signs its requests.",
};
