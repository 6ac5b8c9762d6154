"""Work that people merge on a forge: what is kept of it, and what may be asked of the rules about it."""
