/** Writes the page of the inspector's tests into a folder that a gateway can serve. */
export function buildInspectorPage(folder: string): Promise<void>;
