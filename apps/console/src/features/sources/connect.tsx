import type { wire } from "../../api/api.ts";
import { Card, CodeBlock, CopyButton, KeyValue } from "../../ui/ui.ts";

const SAMPLE = `{"type":"payment.received","id":"evt_1","data":{"email":"ada@example.com","amount":1250}}`;

/** The address, how requests are signed, and a request that can be pasted into a terminal. */
export function Connect({ source }: { readonly source: wire.InboundEndpoint }) {
  return (
    <Card title="How to send to it" description="Any program that can sign with HMAC-SHA256 can post here.">
      <div className="flex flex-col gap-4">
        <KeyValue
          rows={[
            {
              label: "Address",
              value: (
                <span className="inline-flex max-w-full items-start gap-1">
                  <code className="text-sm break-all">{source.url}</code>
                  <CopyButton text={source.url} label="Copy the address" />
                </span>
              ),
            },
            { label: "Signed as", value: source.signature_scheme.replaceAll("_", " ") },
            { label: "In the header", value: <code>{source.signature_header}</code> },
          ]}
        />
        <div>
          <p className="pb-2 text-sm text-muted">
            Put the source's secret into <code>SECRET</code>. Every source takes this signature, beside its sender's
            own.
          </p>
          <CodeBlock label="A signed request" text={signedCurl(source.url)} />
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
