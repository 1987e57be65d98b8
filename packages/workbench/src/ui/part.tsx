/**
 * Components whose code is loaded when they are shown for the first time.
 *
 * @module
 */
import type { ComponentType, ReactNode } from "react";
import { LoadProblem } from "./load-problem.js";
import { Loaded, useLoaded } from "./loaded.js";

/** A component of which only the name is loaded with the page. */
export interface Part<P> {
  (props: P): ReactNode;
  /** Loads its code, for example when the pointer is over the button that shows it. */
  readonly prepare: () => void;
}

/**
 * Makes a component of code that is loaded later. If the code cannot be loaded, a message says why, with a
 * button that tries again.
 *
 * @param name starts a sentence, for example “The settings”
 * @param waiting shown while the code loads
 */
export function part<P extends object>(
  name: string,
  load: () => Promise<ComponentType<P>>,
  waiting?: ReactNode,
): Part<P> {
  const code = new Loaded(load);
  return Object.assign(
    (props: P): ReactNode => <PartView name={name} code={code} waiting={waiting} of={props} />,
    { prepare: code.prepare },
  );
}

interface PartViewProps<P> {
  name: string;
  code: Loaded<ComponentType<P>>;
  waiting: ReactNode;
  /** The props of the component. */
  of: P;
}

function PartView<P extends object>({ name, code, waiting, of }: PartViewProps<P>): ReactNode {
  const Component = useLoaded(code);
  if (Component) return <Component {...of} />;
  if (code.problem === undefined) return waiting;
  return <LoadProblem name={name} problem={code.problem} />;
}
