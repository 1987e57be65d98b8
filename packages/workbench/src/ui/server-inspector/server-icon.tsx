/**
 * Icons that servers name. The gateway fetches them: the page loads nothing from third parties.
 *
 * @module
 */
import type { Implementation } from "@vitrine/protocol";
import { useEffect, useState } from "react";
import type { InspectedServer } from "../../model/server/inspected-server.js";

/** The first of the icons, or nothing. */
export function ServerIcon({
  inspected,
  icons,
}: {
  inspected: InspectedServer;
  icons: Implementation["icons"];
}) {
  const src = icons?.[0]?.src;
  const [loaded, setLoaded] = useState<{ src: string; data: string }>();
  useEffect(() => {
    let isWanted = true;
    if (src !== undefined)
      inspected.icon(src).then(
        (data) => isWanted && setLoaded({ src, data }),
        // An icon is decoration.
        () => {},
      );
    return () => {
      isWanted = false;
    };
  }, [inspected, src]);
  return loaded && loaded.src === src ? <img className="si-icon" src={loaded.data} alt="" /> : null;
}
