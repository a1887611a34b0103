import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { explainFailure, failureWord } from "../../shared/shared.ts";
import { Link } from "../../ui/ui.ts";

/** The newest deliveries among which the last failure is looked for. */
const LOOKED_AT = 25;

/** Says why an endpoint is failing, with a link to the delivery that failed last. */
export function LastFailure({
  endpoint: { id, health, disabled_reason: reason },
}: {
  readonly endpoint: wire.WebhookEndpoint;
}) {
  const isCustomer = usePortal() !== undefined;
  const mayRead = useAccess().may("deliveries.list");
  const { data } = useQuery({
    ...read("deliveries.list", { query: { endpoint_id: id, limit: LOOKED_AT } }),
    enabled: mayRead && health !== "green",
  });
  const failed = data?.data.find(({ state, light }) => state !== "delivered" && (light === "amber" || light === "red"));
  // The page says at its top that a 410 turned the endpoint off.
  if (health === "green" || reason === "gone" || failed === undefined) return null;
  const facts = { errorClass: failed.last_error_class, statusCode: failed.last_status_code };
  const failure = explainFailure(facts, { isCustomer });
  if (failure === null) return null;
  return (
    <div role="status" className="rounded-xl bg-warn-soft px-4 py-3">
      <p className="font-medium text-warn">{`Last failure: ${failureWord(facts)}`}</p>
      <p className="text-sm">
        {failure.what} {failure.advice} <Link to={paths.delivery(failed.id)}>View the delivery</Link>
      </p>
    </div>
  );
}
