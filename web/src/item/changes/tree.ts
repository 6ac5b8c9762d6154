/** Paths as the rows of a tree; a folder that holds only a folder shares its row. */

export interface TreeRow {
  depth: number;
  name: string;
  /** Null of a folder. */
  path: string | null;
}

interface Folder {
  folders: Map<string, Folder>;
  files: string[];
}

export function treeOf(paths: string[]): TreeRow[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const path of paths) {
    const parts = path.split("/");
    let folder = root;
    for (const part of parts.slice(0, -1)) {
      let next = folder.folders.get(part);
      if (!next) folder.folders.set(part, (next = { folders: new Map(), files: [] }));
      folder = next;
    }
    folder.files.push(path);
  }
  return rowsOf(root, 0);
}

function rowsOf(folder: Folder, depth: number): TreeRow[] {
  const rows: TreeRow[] = [];
  for (const [name, child] of [...folder.folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [shown, inner] = joined(name, child);
    rows.push({ depth, name: shown, path: null }, ...rowsOf(inner, depth + 1));
  }
  for (const path of folder.files.toSorted()) rows.push({ depth, name: path.split("/").at(-1)!, path });
  return rows;
}

function joined(name: string, folder: Folder): [string, Folder] {
  let [shown, inner] = [name, folder];
  while (inner.files.length === 0 && inner.folders.size === 1) {
    const [[next, child]] = [...inner.folders] as [[string, Folder]];
    [shown, inner] = [`${shown}/${next}`, child];
  }
  return [shown, inner];
}
