// Answers of the program to questions: the same as `numbers.rs`, in TypeScript.

export interface Quantity {
  name: string;
  unit: string;
  note?: string;
}

export interface Backlog {
  /** s */
  time: number[];
  values: Record<string, (number | null)[]>;
}

export interface GalleryScene {
  name: string;
  title: string;
  description: string;
  bodies?: number;
  joints?: number;
}

export interface Gallery {
  /** Name of the scene that the program was started with, if it was started with one. */
  own: string | null;
  scenes: GalleryScene[];
}
