import type { wire } from "../../api/api.ts";
import { ExternalLink } from "../../ui/ui.ts";

/** Shows the steps with which the sender is connected, in the sender's own words, and its documentation. */
export function SetupSteps({ sender }: { readonly sender: wire.Sender }) {
  return (
    <div className="flex flex-col gap-2">
      <ol aria-label={`Steps in ${sender.title}`} className="list-decimal space-y-1 pl-5">
        {sender.setup.map((step) => (
          <li key={step} className="break-words">
            {step}
          </li>
        ))}
      </ol>
      <p className="text-sm text-muted">
        <ExternalLink href={sender.documentation}>Documentation of {sender.title}</ExternalLink>
      </p>
    </div>
  );
}
