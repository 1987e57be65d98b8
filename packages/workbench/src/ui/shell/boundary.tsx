/**
 * Keeps what goes wrong in one part of the page from taking the others with it.
 *
 * @module
 */
import { Component, type ReactNode } from "react";
import { Button } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";

/** Props of a {@link Boundary}. */
export interface BoundaryProps {
  /** What is in it, to begin a sentence with. */
  name: string;
  children: ReactNode;
  /** What else a person can do about it. */
  actions?: ReactNode;
}

/** A part of the page that can fail by itself: it says so, and can be tried again. React asks for a class. */
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
