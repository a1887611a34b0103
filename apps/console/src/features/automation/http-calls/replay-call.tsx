import { useNavigate } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import { useWrite } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useAccess } from "../../../session/session.ts";
import { Button, toastOutcome } from "../../../ui/ui.ts";

export interface ReplayCallProps {
  readonly id: string;
  /** True while the call has not ended. */
  readonly isOpen: boolean;
  readonly size?: "sm" | "md";
}

/** Sends the same request again, and opens the new call. */
export function ReplayCall({ id, isOpen, size = "md" }: ReplayCallProps) {
  const access = useAccess();
  const navigate = useNavigate();
  const replay = useWrite("http_calls.replay", { refreshes: ["http_calls."] });
  return (
    <Button
      size={size}
      icon={<RotateCcw aria-hidden size={14} />}
      isDisabled={isOpen || !access.may("http_calls.replay")}
      isPending={replay.isPending}
      onPress={() =>
        replay.mutate(
          { path: { id } },
          toastOutcome("Call replayed.", (call) => void navigate({ to: paths.httpCall(call.id) })),
        )
      }
    >
      Replay call
    </Button>
  );
}
