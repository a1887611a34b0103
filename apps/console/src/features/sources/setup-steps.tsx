import type { wire } from "../../api/api.ts";
import { ExternalLink } from "../../ui/ui.ts";

/** The steps that set up a sender, in the sender's own words for its buttons. */
export function SetupSteps({ sender }: { readonly sender: wire.Sender }) {
  return (
    <div>
      <h3 className="pb-1 text-sm font-medium">Set up {sender.title}</h3>
      <ol className="flex list-decimal flex-col gap-1 pl-5">
        {sender.setup.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="pt-2">
        <ExternalLink href={sender.documentation}>Documentation of {sender.title}</ExternalLink>
      </p>
    </div>
  );
}
