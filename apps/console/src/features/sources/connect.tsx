import type { wire } from "../../api/api.ts";
import { Card, CodeBlock, CopyButton, KeyValue } from "../../ui/ui.ts";

const SAMPLE = `{"type":"payment.received","id":"evt_1","data":{"email":"ada@example.com","amount":1250}}`;

/** The address, how requests are signed, and a request that can be pasted into a terminal. */
export function Connect({ source }: { readonly source: wire.InboundEndpoint }) {
  return (
    <Card
      title="Send a request"
      description="Any program that can sign with HMAC-SHA256 can send requests to this source."
    >
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
            { label: "Signature scheme", value: source.signature_scheme.replaceAll("_", " ") },
            { label: "Signature header", value: <code>{source.signature_header}</code> },
          ]}
        />
        <div>
          <p className="pb-2 text-sm text-muted">
            Set <code>SECRET</code> to the source's secret. Every source accepts this signature in addition to the
            sender's own signature.
          </p>
          <CodeBlock label="Signed request" text={signedCurl(source.url)} />
        </div>
      </div>
    </Card>
  );
}

/** `X-Service-Inbound-Signature`: hex HMAC-SHA256 of the body. */
function signedCurl(url: string): string {
  return [
    "SECRET='whsec_…'",
    `BODY='${SAMPLE}'`,
    String.raw`SIGNATURE=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -hex | sed 's/^.* //')`,
    String.raw`curl -X POST '${url}' \ `.trimEnd(),
    String.raw`  -H 'Content-Type: application/json' \ `.trimEnd(),
    String.raw`  -H "X-Service-Inbound-Signature: $SIGNATURE" \ `.trimEnd(),
    `  --data-binary "$BODY"`,
  ].join("\n");
}
