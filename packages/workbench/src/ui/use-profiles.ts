/**
 * The profiles of hosts that the workbench can imitate.
 *
 * @module
 */
import { useEffect } from "react";
import type { Profile } from "../model/profiles/profile.js";
import type { Workbench } from "../model/workbench.js";
import { useObserved } from "./use-observable.js";

/** All profiles; the strict one while the others load. */
export function useProfiles(workbench: Workbench): readonly Profile[] {
  useEffect(() => void workbench.loadProfiles(), [workbench]);
  return useObserved(workbench, (each) => each.profiles);
}
