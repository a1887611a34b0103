import { objectMail } from "../accounts/accounts.ts";
import type { ObjectMailDeps, ObjectWords } from "../accounts/accounts.ts";
import type { MailComposer } from "../platform/mail/mail.ts";
import type { IssueKind } from "./issue.ts";
import { mailedIssues } from "./issues.store.ts";
import type { IssueRow } from "./issues.store.ts";
import { issueId } from "./objects.ts";
import type { IssueObjects } from "./objects.ts";
import { fingerprintsOf } from "./issue-row.ts";
import { namesOf } from "./issue-views.ts";

export interface IssueMailDeps extends ObjectMailDeps {
  readonly objects: (kind: IssueKind) => IssueObjects | undefined;
}

type What = "opened" | "resolved";

const WORDS: Readonly<Record<What, Omit<ObjectWords, "read" | "all">>> = {
  opened: {
    one: "A new issue: attempts fail",
    many: "New issues: attempts fail",
    text: "These have failed three times within ten minutes, or fail again after they had recovered. Deliveries are retried for about 15 hours. An endpoint that fails for five days is disabled.",
    none: "The issues are resolved or ignored.",
  },
  resolved: {
    one: "An issue is resolved",
    many: "Issues are resolved",
    text: "The last five attempts of each of these succeeded. Deliveries that failed for good can be replayed.",
    none: "The issues were opened again.",
  },
};

/** The kinds of issues, as people call them. */
const NAMES: Readonly<Record<IssueKind, string>> = {
  delivery: "Deliveries",
  transform: "Transformation",
  source: "Source",
  connection: "Connector",
  broker: "Broker",
  action: "Action",
};

/** Writes one e-mail about all issues that were opened, or resolved, since it was queued. */
export function issueMail(deps: IssueMailDeps, what: What): MailComposer {
  return objectMail(deps, {
    ...WORDS[what],
    all: { label: "All issues", path: "/issues" },
    async read(query, scope, { tenant = null, since = "-infinity" }, limit) {
      const rows = await mailedIssues(query, { ...scope, tenant }, { what, since, limit });
      const nameOf = await namesOf(deps, query, scope, rows);
      return rows.map((row) => ({ label: labelOf(row, nameOf(row)), path: `/issues/${issueId(row)}` }));
    },
  });
}

function labelOf(row: IssueRow, name: string | undefined): string {
  const code = fingerprintsOf(row)[0]?.code;
  return `${NAMES[row.kind as IssueKind]}: ${name ?? row.object}${code === undefined ? "" : ` (${code})`}`;
}
