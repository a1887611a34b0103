import { CircleCheck, CircleX, X } from "lucide-react";
import { createStore } from "../api/api.ts";
import { IconButton } from "./button.tsx";
import { messageOf } from "./states.tsx";

interface ToastItem {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const SHOWN_MS = 6000;
const items = createStore<readonly ToastItem[]>([]);
let last = 0;

/** Says that something was done. A message that must be read, or a failure while a form is open, belongs next to its subject. */
export function toast(text: string): void {
  const id = show(text, "good");
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Says that something failed. The message stays until it is closed. */
export function toastError(error: unknown): void {
  show(messageOf(error), "bad");
}

/** Returns the handlers of a write that a toast ends. Its failure is shown elsewhere, as in a form. */
export function toastSuccess<Answer>(
  text: string | ((answer: Answer) => string),
  then?: (answer: Answer) => unknown,
): { readonly onSuccess: (answer: Answer) => void } {
  return {
    onSuccess: (answer) => {
      toast(typeof text === "string" ? text : text(answer));
      then?.(answer);
    },
  };
}

/** Returns the handlers of a write whose success and failure a toast says. */
export function toastOutcome<Answer>(...success: Parameters<typeof toastSuccess<Answer>>) {
  return { ...toastSuccess(...success), onError: toastError };
}

export function ToastRegion() {
  const shown = items.useValue();
  return (
    <div
      role="region"
      aria-label="Notifications"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-50 flex flex-col items-end gap-2"
    >
      <div aria-live="polite" className="flex flex-col items-end gap-2">
        {shown.map((item) => (
          <div
            key={item.id}
            className="pointer-events-auto flex max-w-sm animate-[pop-in_140ms_ease-out] items-start gap-2 rounded-lg bg-raised py-2 pr-1 pl-3 shadow-pop"
          >
            {item.tone === "good" ? (
              <CircleCheck aria-hidden size={16} className="mt-1.5 shrink-0 text-good" />
            ) : (
              <CircleX aria-hidden size={16} className="mt-1.5 shrink-0 text-bad" />
            )}
            <p className="min-w-0 py-1 break-words">{item.text}</p>
            <IconButton label="Dismiss" size="sm" onPress={() => dismiss(item.id)}>
              <X aria-hidden size={14} />
            </IconButton>
          </div>
        ))}
      </div>
    </div>
  );
}

function show(text: string, tone: ToastItem["tone"]): number {
  last += 1;
  items.set([...items.get().slice(-3), { id: last, text, tone }]);
  return last;
}

function dismiss(id: number): void {
  items.set(items.get().filter((item) => item.id !== id));
}
