import { errorCatalogue, errorCodes, errorGuide, problemOf, ServiceError } from "../../lib/lib.ts";
import type { ErrorCode } from "../../lib/lib.ts";
import { escaped } from "./escaped.ts";
import type { Rendered } from "./markdown.ts";

/**
 * Returns the page of a code: its meaning, its causes and what to do (contract, section 4). The `type` of a problem is
 * the page's address.
 */
export function errorPage(code: ErrorCode, baseUrl: string): Rendered {
  const { status, title, retryable } = errorCatalogue[code];
  const { why, remedy } = errorGuide[code];
  const again = retryable
    ? "Yes. The same request, with the same <code>Idempotency-Key</code>, can succeed later."
    : "No. The same request is rejected again. Change it first.";
  const html = `<p class="crumbs"><a href="/docs/errors">Errors</a></p>
<h1>${escaped(title)}</h1>
<p><code>${code}</code> · HTTP ${status}</p>
<h2 id="why">Why</h2><p>${escaped(why)}</p>
<h2 id="what-to-do">What to do</h2><p>${escaped(remedy)}</p>
<h2 id="retry">Can it be retried?</h2><p>${again}</p>
<h2 id="example">Example</h2><div class="code"><pre tabindex="0"><code>${escaped(JSON.stringify(example(code, baseUrl), null, 2))}</code></pre></div>`;
  const markdown = `# ${title}

\`${code}\` · HTTP ${status}

${why}

**What to do:** ${remedy}

**Can it be retried?** ${again.replaceAll(/<\/?code>/g, "`")}
`;
  return { title: `${title} (${code})`, description: why, html, markdown, sections: [] };
}

export function errorIndexPage(): Rendered {
  const rows = errorCodes.map((code) => {
    const { status, title, retryable } = errorCatalogue[code];
    return `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escaped(title)}</td><td>${retryable ? "yes" : "no"}</td></tr>`;
  });
  const html = `<h1>Errors</h1>
<p>Every error response is an RFC 9457 problem document. Its <code>type</code> is the address of one of these pages.</p>
<div class="table" tabindex="0"><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th><th>Retry</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
  const list = errorCodes.map((code) => {
    const { status, title } = errorCatalogue[code];
    return `- [\`${code}\`](/docs/errors/${code}.md): ${status}, ${title}`;
  });
  const description = "Every error code, with its cause and its remedy.";
  return { title: "Errors", description, html, markdown: `# Errors\n\n${list.join("\n")}\n`, sections: [] };
}

function example(code: ErrorCode, baseUrl: string): object {
  const errors = [{ pointer: "/url", code: "required", message: "is required" }];
  return problemOf(new ServiceError(code, code === "validation_failed" ? { errors } : {}), {
    baseUrl,
    instance: "/v1/webhook-endpoints",
    requestId: "req_00000000063y1nw4xfe5r8rs4gdvkp2zqa",
  });
}
