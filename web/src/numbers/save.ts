/** A plot as a file: its picture, drawn with the colours it has on the page, or its table. */
import { csv, type Table } from "./csv";

const SHARPER = 2; // points of the picture for each of the page
const PAD = 20;
const TITLE = 17;
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

export function saveTable(name: string, table: Table): void {
  // The mark in front tells spreadsheets that it is UTF-8.
  save(`${name}.csv`, new Blob(["\uFEFF", csv(table)], { type: "text/csv;charset=utf-8" }));
}

export async function savePicture(name: string, svg: SVGSVGElement, title: string): Promise<void> {
  const drawn = picture(svg, title);
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(drawn)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Number(drawn.getAttribute("width")) * SHARPER;
  canvas.height = Number(drawn.getAttribute("height")) * SHARPER;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (made) save(`${name}.png`, made);
}

function save(name: string, data: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function make<Name extends keyof SVGElementTagNameMap>(name: Name, attributes: Record<string, string | number>) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** On its own ground and below its title, so that it can stand alone. */
function picture(svg: SVGSVGElement, title: string): SVGSVGElement {
  const { width, height } = svg.getBoundingClientRect();
  const body = getComputedStyle(svg);
  const lines = wrapped(title, Math.floor(width / (TITLE * 0.52)));
  const top = PAD + lines.length * TITLE * 1.35 + 8;
  const whole = make("svg", { xmlns: "http://www.w3.org/2000/svg", width: Math.ceil(width + 2 * PAD), height: Math.ceil(height + top + PAD) });
  whole.append(make("rect", { width: "100%", height: "100%", fill: groundOf(svg) }));
  lines.forEach((line, place) => {
    const words = make("text", { x: PAD, y: PAD + TITLE + place * TITLE * 1.35, fill: body.color, "font-family": body.fontFamily, "font-size": TITLE, "font-weight": 600 });
    words.textContent = line;
    whole.append(words);
  });
  const copy = svg.cloneNode(true) as SVGSVGElement;
  settle(svg, copy);
  copy.setAttribute("x", String(PAD));
  copy.setAttribute("y", String(top));
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  whole.append(copy);
  return whole;
}

/** A picture has no style sheet: each part carries what the sheet said of it. */
function settle(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (value) to.setAttribute(name, value.replace(/url\("?[^#]*(#[^")]*)"?\)/, "url($1)"));
  }
  to.removeAttribute("class");
  [...from.children].forEach((child, place) => {
    const same = to.children[place];
    if (same) settle(child, same);
  });
}

function groundOf(element: Element): string {
  for (let one: Element | null = element; one; one = one.parentElement) {
    const ground = getComputedStyle(one).backgroundColor;
    if (ground !== "rgba(0, 0, 0, 0)" && ground !== "transparent") return ground;
  }
  return "white";
}

export function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > most) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return line ? [...lines, line] : lines;
}
