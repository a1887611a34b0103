import { useQuery } from "@tanstack/react-query";
import { readExact } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { Loaded, PageHeader, ShowAs } from "../../../ui/ui.ts";
import { CompareCard } from "./compare-card.tsx";
import { ExportCard } from "./export-card.tsx";

/** The configuration of the environment as one file: it is downloaded, compared with another one, and changed to it. */
export function Screen() {
  const configuration = useQuery(readExact("configuration.get"));
  const access = useAccess();
  return (
    <>
      <PageHeader
        title="Configuration"
        description="What configures this environment, as one file: event types, inboxes, action contracts, workflows, rules, sources, endpoints, approval channels and settings."
        actions={<ShowAs operation="configuration.get" input={{}} />}
      />
      {access.may("configuration.apply") ? null : (
        <p className="pb-3 text-sm text-muted">You can compare a file, and not apply it. Your role is {access.role}.</p>
      )}
      <Loaded query={configuration} label="Loading the configuration">
        {(found) => (
          <div className="flex max-w-4xl flex-col gap-4">
            <ExportCard configuration={found} />
            <CompareCard />
          </div>
        )}
      </Loaded>
    </>
  );
}
