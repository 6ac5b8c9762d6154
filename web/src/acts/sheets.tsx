/** Whatever sheet is open. */
import { Palette } from "../commands/palette";
import { KeySheet } from "../commands/sheet";
import { AddSheet } from "./add";
import { EditSheet } from "./edit";
import { LineSheet } from "./line";
import { modal } from "./modal";
import { MoveSheet } from "./move";

export function Sheets() {
  const open = modal.value;
  switch (open?.kind) {
    case "add":
      return <AddSheet />;
    case "edit":
      return <EditSheet id={open.id} />;
    case "move":
      return <MoveSheet id={open.id} to={open.to} />;
    case "palette":
      return <Palette />;
    case "sheet":
      return <KeySheet />;
    case "line":
      return <LineSheet line={open} />;
    default:
      return null;
  }
}
