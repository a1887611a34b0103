import type { ReactNode } from "react";
import { Button, Card, ErrorNote } from "../../ui/ui.ts";

export interface TrialCardProps {
  readonly title: string;
  readonly description: string;
  /** The call as code. */
  readonly code: ReactNode;
  /** What it is tried on. */
  readonly children: ReactNode;
  readonly isDisabled: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onTry: () => void;
}

/** A form that tries what is saved on an event. */
export function TrialCard(props: TrialCardProps) {
  return (
    <Card title={props.title} description={props.description} actions={props.code}>
      <div className="flex flex-col gap-4">
        {props.children}
        <div>
          <Button variant="primary" isDisabled={props.isDisabled} isPending={props.isPending} onPress={props.onTry}>
            Run test
          </Button>
        </div>
        {props.error === null ? null : <ErrorNote error={props.error} />}
      </div>
    </Card>
  );
}
