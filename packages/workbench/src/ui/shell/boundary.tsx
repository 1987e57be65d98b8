/**
 * Error boundaries for parts of the page.
 *
 * @module
 */
import { Component, type ReactNode } from "react";
import { Button } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";

/** Props of a {@link Boundary}. */
export interface BoundaryProps {
  /** The name of its content, to start a sentence. */
  name: string;
  children: ReactNode;
  /** Further actions for the user. */
  actions?: ReactNode;
}

/**
 * A part of the page that can fail by itself: it shows the error, and can be retried. React requires a class.
 */
export class Boundary extends Component<BoundaryProps, { problem?: string | undefined }> {
  override state: { problem?: string | undefined } = {};

  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: messageOf(error) };
  }

  override render(): ReactNode {
    const { name, children, actions } = this.props;
    const { problem } = this.state;
    if (problem === undefined) return children;
    return (
      <div className="problem" role="alert">
        <p>
          {name} cannot be shown: {problem}
        </p>
        <p>
          <Button className="button" onPress={() => this.setState({ problem: undefined })}>
            Try again
          </Button>{" "}
          {actions}
        </p>
      </div>
    );
  }
}
