import type { ComponentProps, ReactElement } from "react";
import { Focusable, Tooltip as AriaTooltip, TooltipTrigger } from "react-aria-components";

type FocusableChild = ComponentProps<typeof Focusable>["children"];

export interface TooltipProps {
  readonly text: string;
  /** One element that takes the focus. */
  readonly children: ReactElement;
}

/** Explains an element that can be focused. A tooltip must never be the only place for information. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <TooltipTrigger delay={400} closeDelay={80}>
      {children}
      <TooltipBox>{text}</TooltipBox>
    </TooltipTrigger>
  );
}

/** Adds a tooltip to an element that is not a control; `role` says what the element is. */
export function HintTooltip({ text, children }: { readonly text: string; readonly children: FocusableChild }) {
  return (
    <TooltipTrigger delay={400} closeDelay={80}>
      <Focusable>{children}</Focusable>
      <TooltipBox>{text}</TooltipBox>
    </TooltipTrigger>
  );
}

function TooltipBox({ children }: { readonly children: string }) {
  return (
    <AriaTooltip offset={6} className="anim-pop max-w-72 rounded-md bg-ink px-2 py-1 text-xs text-page shadow-pop">
      {children}
    </AriaTooltip>
  );
}
