import { hash } from "node:crypto";
import { errorCatalogue, errorCodes, errorGuide, problemOf, ServiceError } from "../../lib/lib.ts";
import type { ErrorCode } from "../../lib/lib.ts";

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1.25rem}
h1{font-size:1.5rem;line-height:1.3}h2{font-size:1rem;margin:2rem 0 .25rem}p{margin:.25rem 0}
code,pre{font:.9em/1.5 ui-monospace,monospace}pre{padding:1rem;overflow:auto;border:1px solid #8886;border-radius:6px}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .75rem .4rem 0;border-bottom:1px solid #8886;vertical-align:top}`;

/** Nothing is loaded, run, framed or submitted; the one style is known by its hash. */
export const PAGE_CSP = `default-src 'none'; style-src 'sha256-${hash("sha256", STYLE, "base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** What a code means, why it is answered, and what to do about it (contract, section 4). */
export function errorPage(code: ErrorCode, baseUrl: string): string {
  const { status, title, retryable } = errorCatalogue[code];
  const { why, remedy } = errorGuide[code];
  const again = retryable
    ? "Yes: the same request, with the same Idempotency-Key, can succeed later."
    : "No: the same request would be refused again. Change it first.";
  return page(
    code,
    `<p><a href="/docs">Documentation</a> · <a href="../errors">All errors</a></p>
<h1>${escaped(title)}</h1>
<p><code>${code}</code> · HTTP ${status}</p>
<h2>Why</h2><p>${escaped(why)}</p>
<h2>What to do</h2><p>${escaped(remedy)}</p>
<h2>Can it be retried?</h2><p>${again}</p>
<h2>Example</h2><pre>${escaped(JSON.stringify(example(code, baseUrl), null, 2))}</pre>`,
  );
}

export function errorIndexPage(): string {
  const rows = errorCodes.map((code) => {
    const { status, title, retryable } = errorCatalogue[code];
    return `<tr><td><a href="errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escaped(title)}</td><td>${retryable ? "yes" : "no"}</td></tr>`;
  });
  return page(
    "Errors",
    `<p><a href="/docs">Documentation</a></p>
<h1>Errors</h1>
<p>Every refusal is an RFC 9457 problem document; its <code>type</code> leads to one of these pages.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th><th>Retry</th></tr></thead><tbody>${rows.join("")}</tbody></table>`,
  );
}

function example(code: ErrorCode, baseUrl: string): object {
  const errors = [{ pointer: "/url", code: "required", message: "is required" }];
  return problemOf(new ServiceError(code, code === "validation_failed" ? { errors } : {}), {
    baseUrl,
    instance: "/v1/webhook-endpoints",
    requestId: "req_00000000063y1nw4xfe5r8rs4gdvkp2zqa",
  });
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)} · Junction</title><style>${STYLE}</style></head><body>
${body}
</body></html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
