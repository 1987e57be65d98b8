import { writeFileSync } from "node:fs";
import { uiMetaSchema } from "@vitrine/server/discovery";
import { TEMPLATES } from "@vitrine/server/templates";
import { rating } from "./rating.js";

writeFileSync("ui.meta.schema.json", JSON.stringify(uiMetaSchema({ ...TEMPLATES, rating }), null, 2));
