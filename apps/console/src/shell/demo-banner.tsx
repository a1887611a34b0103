import { useQuery } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { read } from "../api/api.ts";
import { paths } from "../paths.ts";
import { useAccess } from "../session/session.ts";
import { Button, deferred, Link } from "../ui/ui.ts";
import { isDemoInbox } from "./demo.ts";

/** Loads the dialog only for a user who deletes the demo data. */
const ClearDemoDialog = deferred(async () => (await import("./clear-demo-dialog.tsx")).ClearDemoDialog);

/** Marks an environment with demo data, so that no user mistakes the data for their own. */
export function DemoBanner() {
  const access = useAccess();
  const [isAsking, setAsking] = useState(false);
  const inboxes = useQuery({ ...read("inboxes.list", { query: { limit: 100 } }), enabled: access.may("inboxes.list") });
  if (!(inboxes.data?.data.some(isDemoInbox) ?? false)) return null;
  return (
    <aside
      aria-label="Demo data"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-info-soft px-4 py-2 text-sm sm:px-6 lg:px-8"
    >
      <FlaskConical aria-hidden size={15} className="shrink-0 text-info" />
      <p className="min-w-0 flex-1 basis-56">
        <strong className="font-semibold">This is demo data.</strong> Explore it, then start with your own data:{" "}
        <Link to={paths.setupGuide}>Getting started</Link>
      </p>
      <Button size="sm" isDisabled={!access.may("inboxes.delete")} onPress={() => setAsking(true)}>
        Delete demo data
      </Button>
      {isAsking ? <ClearDemoDialog onClose={() => setAsking(false)} /> : null}
    </aside>
  );
}
