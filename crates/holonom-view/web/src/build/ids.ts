// Names by which tests find what they need (data-testid).
//
//   build-tool-select, build-tool-rod, -beam, -box, -plate, -ball, -cylinder, -particle, -pin, -more   what a press in the view does
//   build-shape          list of further shapes, beside -more
//   build-joint-KIND     a joint to make: press a point, then another (build-joint-revolute, build-joint-spherical, ...)
//   build-more-joints    list of further kinds of joints
//   build-plane          working plane: xz, xy, yz, view
//   build-grid           grid that places snap to, m; 0 is none
//   build-ends           what ends of rods are joined with where they meet something: a kind of joint, or none
//   build-axis           axis of new joints
//   build-hint           what to do next, in words
//   build-undo, build-redo, build-save, build-new
//   edit-form            the form of what is selected; data-path says what that is
//   edit-name            its name
//   edit-field           a field; data-path says which (body.crank.mass), inputs in it are edit-input
//   edit-message         what the program says against the last change
//   edit-delete, edit-duplicate, edit-cut, edit-weld
//   edit-motor-speed, edit-motor-position, edit-motor-torque

export const ids = {
  tool: (name: string) => `build-tool-${name}`,
  joint: (kind: string) => `build-joint-${kind}`,
  shape: "build-shape",
  moreJoints: "build-more-joints",
  plane: "build-plane",
  grid: "build-grid",
  ends: "build-ends",
  axis: "build-axis",
  hint: "build-hint",
  undo: "build-undo",
  redo: "build-redo",
  save: "build-save",
  fresh: "build-new",
  form: "edit-form",
  name: "edit-name",
  field: "edit-field",
  input: "edit-input",
  message: "edit-message",
  remove: "edit-delete",
  duplicate: "edit-duplicate",
  cut: "edit-cut",
  toWeld: "edit-weld",
  motor: (kind: string) => `edit-motor-${kind}`,
} as const;
