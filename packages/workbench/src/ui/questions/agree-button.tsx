/**
 * Approval buttons, with the rules of `guardApproval`.
 *
 * @module
 */
import { type ApprovalGuard, guardApproval } from "@vitrine/host";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";

interface Guarded {
  /** As of the last rendering of the question. */
  readonly isReady: boolean;
  readonly guard: () => ApprovalGuard | undefined;
}

const Guarding = createContext<Guarded>({ isReady: false, guard: () => undefined });

/** Guards the box of a question for all its buttons. Shows why a press did not count. */
export function GuardedQuestion({ box, children }: { box: Element | null; children: ReactNode }) {
  const current = useRef<ApprovalGuard>(undefined);
  const [isReady, setReady] = useState(false);
  const [hint, setHint] = useState("");
  useEffect(() => {
    if (!box) return;
    const guard = guardApproval(box, () => {
      setReady(guard.isReady());
      setHint(guard.hint());
    });
    current.current = guard;
    return () => guard.stop();
  }, [box]);
  return (
    <Guarding value={{ isReady, guard: () => current.current }}>
      {children}
      <p className="small question-hint" role="status">
        {hint}
      </p>
    </Guarding>
  );
}

/** Whether the current press counts as approval. */
export const useAcceptsPress = (): (() => boolean) => {
  const { guard } = useContext(Guarding);
  return () => guard()?.acceptsPress() ?? false;
};

interface AgreeButtonProps {
  isDisabled?: boolean;
  onAgree: () => void;
  children: ReactNode;
}

/** Approves. It looks disabled until a press counts. */
export function AgreeButton({ isDisabled = false, onAgree, children }: AgreeButtonProps) {
  const { isReady, guard } = useContext(Guarding);
  return (
    <button
      type="button"
      className="button primary agree"
      disabled={isDisabled}
      // Focusable all the time, so that keyboard users do not lose their place.
      aria-disabled={!isReady}
      onClick={({ nativeEvent }) => guard()?.accepts(nativeEvent) && onAgree()}
    >
      {children}
    </button>
  );
}
