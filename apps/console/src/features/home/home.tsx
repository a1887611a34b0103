import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { aboutOf, StorageNotice } from "../../shell/shell.ts";
import { Card, Loaded, PageHeader, Segmented, ShowAs, useUrlState } from "../../ui/ui.ts";
import { Figures } from "./figures.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { Plots } from "./plots.tsx";

const SPANS = [
  { value: "24", label: "24 hours" },
  { value: "72", label: "3 days" },
  { value: "168", label: "7 days" },
  { value: "720", label: "30 days" },
];
const REFRESH_MS = 60_000;

export function Screen() {
  const [span, setSpan] = useUrlState("hours", "24");
  const hours = SPANS.some((one) => one.value === span) ? Number(span) : 24;
  const attention = useQuery({ ...read("attention.get"), refetchInterval: REFRESH_MS });
  const series = useQuery({ ...read("usage.series", { query: { hours } }), refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHeader
        title="Home"
        description={aboutOf(paths.home)}
        actions={
          <>
            <ShowAs operation="attention.get" input={{}} />
            <Segmented label="Time span" options={SPANS} value={String(hours)} onChange={setSpan} />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <Loaded query={attention} label="Loading open items">
          {(found) => (
            <>
              <NeedsYou attention={found} />
              <StorageNotice />
            </>
          )}
        </Loaded>
        <Loaded query={series} label="Loading the statistics" lines={8}>
          {(found) => (
            <>
              <Figures hours={found.data} backlog={attention.data?.backlog} />
              <Card title="Over time" description="By hour, in your time zone.">
                <Plots hours={found.data} />
              </Card>
            </>
          )}
        </Loaded>
      </div>
    </>
  );
}
