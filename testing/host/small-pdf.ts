/** Writes a PDF by hand: a line of text and a coloured box on each page. */
export function writePdf(pages: string[]): string {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (const [index, text] of pages.entries()) {
    const content = `0.1 0.4 0.8 rg 40 60 ${120 + 100 * index} 80 re f 0 g BT /F1 24 Tf 40 220 Td (${text}) Tj ET`;
    const resources = "<< /Font << /F1 3 0 R >> >>";
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents ${5 + 2 * index} 0 R /Resources ${resources} >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  let file = "%PDF-1.4\n";
  let places = "0000000000 65535 f \n";
  for (const [index, object] of objects.entries()) {
    places += `${`${file.length}`.padStart(10, "0")} 00000 n \n`;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const size = objects.length + 1;
  return `${file}xref\n0 ${size}\n${places}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}
