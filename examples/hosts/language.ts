import { setLanguage } from "@vitrine/host";
import { bestLanguage } from "@vitrine/host/languages";

// Before the first app is shown.
setLanguage(bestLanguage(navigator.languages));
