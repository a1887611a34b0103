import { Component } from "react";
import type { ReactNode } from "react";
import { ErrorState } from "../ui/ui.ts";

interface FailureProps {
  /** The page that is shown. Another one is tried again. */
  readonly pathname: string;
  readonly children: ReactNode;
}

interface FailureState {
  readonly error: unknown;
  readonly pathname: string;
}

/** Shows that a page's code could not be fetched, or that it failed. The navigation stays. */
export class Failure extends Component<FailureProps, FailureState> {
  override state: FailureState = { error: null, pathname: this.props.pathname };

  static getDerivedStateFromError(error: unknown): Partial<FailureState> {
    return { error: error ?? new Error("An unknown error occurred.") };
  }

  static getDerivedStateFromProps({ pathname }: FailureProps, state: FailureState): FailureState | null {
    return pathname === state.pathname ? null : { error: null, pathname };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}
