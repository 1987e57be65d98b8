import { setLanguage } from "@vitrine/host";
import { german, type Language } from "@vitrine/host/languages";

const bavarian: Language = {
  ...german,
  tag: "bar",
  close: "Zuamacha",
  failures: { ...german.failures, crashed: "De App is obgstürzt." },
};
setLanguage(bavarian);
