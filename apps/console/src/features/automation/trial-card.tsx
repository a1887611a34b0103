import type { ReactNode } from "react";
import { Button, Card, ErrorNote } from "../../ui/ui.ts";

export interface TrialCardProps {
  readonly title: string;
  readonly description: string;
  /** The call as code. */
  readonly code: ReactNode;
  /** The fields of the test's input. */
  readonly children: ReactNode;
  readonly isDisabled: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onTry: () => void;
}

/** Shows a form that tests the saved definition with an event. */
export function TrialCard(props: TrialCardProps) {
  return (
    <Card title={props.title} description={props.description} actions={props.code} stacked>
      {props.children}
      <div>
        <Button variant="primary" isDisabled={props.isDisabled} isPending={props.isPending} onPress={props.onTry}>
          Run test
        </Button>
      </div>
      {props.error === null ? null : <ErrorNote error={props.error} />}
    </Card>
  );
}
