// What the page and the program say to each other. Written by `cargo xtask protocol` from the types of the program (message.rs); do not edit.
// SI units, world axes (z up) unless said otherwise, quaternions x y z w.

export type Triple = [number, number, number];
export type Quat = [number, number, number, number];

/** Answers, one for each question. */
export type Answer = GalleryAnswer | DoctorAnswer | Array<QuantityAnswer> | LedgerAnswer | SpyAnswer | BacklogAnswer | SceneAnswer | DetailsAnswer;

/** A joint that a new body comes with. */
export type AttachedJoint = {
  /** Its kind: `revolute`, ... */ joint: string,
  /** Where on the new body, its frame, m. */ point: Triple,
  /** What it is joined to. */ to: BodyPoint,
  /** Its axis, world. */ axis?: Triple | null };

/** Where the axis of a new joint points to begin with. */
export type AxisPlacement = "normal" | "along-x";

/** Recorded quantities. */
export type BacklogAnswer = {
  /** Names; the first is `time`. */ names: Array<string>,
  /** Units of each. */ units: Array<string>,
  /** Ticks at which they were recorded. */ ticks: Array<number>,
  /** One list for each name, as long as `ticks`; null where a quantity does not exist. */ values: Array<Array<number | null>> };

/** A body. */
export type BodyPicture = {
  /** Its name. */ name: string,
  /** `rigid`, `particle`, ... */ kind: string,
  /** kg. */ mass: number,
  /** Centre of mass in the body frame, m. */ centre: Triple,
  /** Shapes. */ shapes: Array<ShapePicture>,
  /** Named points. */ points: Array<PointPicture>,
  /** Is it made by a generator, and so not to be edited by itself? */ generated: boolean };

/** A point on a body. */
export type BodyPoint = {
  /** Name of the body, or `ground`. */ body: string,
  /** In the body's frame, m. */ point: Triple };

/** Everything that can be built. */
export type BuildCatalogue = {
  /** Bodies that can be drawn by hand. */ pieces: Array<Piece>,
  /** Kinds of shapes. */ shapes: Array<KindEntry>,
  /** Kinds of bodies. */ bodies: Array<KindEntry>,
  /** Kinds of joints; those with buttons first, in their order. */ joints: Array<JointEntry>,
  /** Kinds of drives. */ drives: Array<DriveEntry>,
  /** Kinds of forces. */ forces: Array<ForceEntry> };

/** Where to look from. */
export type CameraPicture = {
  /** Its name. */ name: string,
  /** Eye, m. */ from: Triple,
  /** What it looks at, m. */ look_at: Triple,
  /** Vertical angle of view, rad. */ angle: number,
  /** What it goes with, over the ground. */ follows: Followed | null };

/** Loops that share joints. */
export type ClusterAnswer = {
  /** Names of its joints. */ joints: Array<string>,
  /** Rows of these joints. */ rows: number,
  /** How many are independent. */ rank: number };

/** Does a joint hold? */
export type ConditionPicture = "active" | "locked" | "broken";

/** What a joint coordinate measures. */
export type CoordinateMeasure = "length" | "angle";

/** A coordinate of a joint. */
export type CoordinatePicture = {
  /** The quantity that it is: `pin.coordinate`, `pin.coordinate.1`. */ name: string,
  /** m or rad. */ measure: CoordinateMeasure };

/** Something that follows from the fields of a body. */
export type DerivedFact = {
  /** In words. */ name: string,
  /** One number or three. */ value: Array<number>,
  /** Unit of the numbers. */ unit: string };

/** What a thing of the scene says. */
export type DetailsAnswer = {
  /** What was asked for: `body.crank`, `run`. */ path: string,
  /** `body`, `joint`, `drive`, `force` or another section. */ section: string,
  /** Its name. */ name: string,
  /** Its kind, in sections that have kinds. */ kind: string | null,
  /** What that kind is, in a line. */ summary: string | null,
  /** Made by a generator, which will be written out when this is changed? */ generated: boolean,
  /** What follows from what was said. */ facts: Array<DerivedFact>,
  /** All fields that it may have. */ fields: Array<FieldValue> };

/** The report. */
export type DoctorAnswer = {
  /** In words. */ sentences: Array<Sentence>,
  /** Bodies, the ground not counted. */ bodies: number,
  /** Joints and drives. */ joints: number,
  /** Rows of all joints. */ rows: number,
  /** How many of them are independent. */ rank: number,
  /** Independent ways to start moving from this pose. */ mobility: number,
  /** The same at poses nearby. */ mobility_generic: number,
  /** Is the pose singular? */ singular: boolean,
  /** Independent loops. */ loops: number,
  /** Largest gap of any joint, m or rad. */ gap: number,
  /** Rows that hold something twice. */ redundant: Array<RedundantRows>,
  /** Multipliers that are not unique. */ not_unique: Array<DoctorRow>,
  /** Loops that share joints. */ clusters: Array<ClusterAnswer>,
  /** Reactions that are not unique: the split with the smallest loads. */ loads: Array<NonUniqueLoad> };

/** A row of a joint. */
export type DoctorRow = {
  /** Name of the joint. */ joint: string,
  /** Which of its multipliers, from 0. */ row: number,
  /** What it holds, such as "translation along x". */ holds: string };

/** A kind of drive. */
export type DriveEntry = {
  /** The button for a coordinate that is a length; null if it has none. */ length: DrivePreset | null,
  /** The button for a coordinate that is an angle; null if it has none. */ angle: DrivePreset | null,
  /** Its name in scene files. */ kind: string,
  /** Its name for people: `Ball joint`. */ label: string,
  /** What it is, in a line. */ summary: string,
  /** Its fields, without those that are chosen in the view. */ fields: Array<FieldDeclaration> };

/** A drive at the press of a button. */
export type DrivePreset = {
  /** The button. */ label: string,
  /** What it does, in a sentence. */ help: string,
  /** Its `value`: a number in SI units, or a function of t. */ value: JsonValue };

/** A change of the scene. */
export type Edit =
  | { "kind": "add-body",
      /** Its name; one that is free if not said. */ name?: string | null,
      /** Its table, as in a scene file: shape, place, density, ... */ body: { [key in string]: JsonValue },
      /** Joints that it comes with. */ joints?: Array<AttachedJoint> }
  | { "kind": "add-ground-point",
      /** Its name; one that is free if not said. */ name?: string | null,
      /** World, m. */ at: Triple }
  | { "kind": "add-joint",
      /** Its name; one that is free if not said. */ name?: string | null,
      /** Its kind: `revolute`, ... */ joint: string,
      /** First side. */ a: BodyPoint,
      /** Second side. */ b: BodyPoint,
      /** Its axis, world, at the poses in which the points have met. */ axis?: Triple | null,
      /** Other fields of its kind. */ fields?: { [key in string]: JsonValue } }
  | { "kind": "add-drive",
      /** Its name; one that is free if not said. */ name?: string | null,
      /** Its kind: `speed`, `position`, `torque`, ... */ drive: string,
      /** The joint, or one of its coordinates: `hinge`, `slider.1`. */ on: string,
      /** Other fields of its kind, such as `value` and `effort`. */ fields?: { [key in string]: JsonValue } }
  | { "kind": "add-force",
      /** Its name; one that is free if not said. */ name?: string | null,
      /** Its kind: `spring`, ... */ force: string,
      /** First side, for kinds that have sides. */ a?: BodyPoint | null,
      /** Second side. */ b?: BodyPoint | null,
      /** Other fields of its kind. */ fields?: { [key in string]: JsonValue } }
  | { "kind": "set",
      /** Path, such as `body.crank.mass`, `body.crank.shapes.0.radius`, `run.time`. */ path: string,
      /** The value; null takes the field away. */ value: JsonValue }
  | { "kind": "rename",
      /** Path, such as `body.crank`. */ path: string,
      /** The new name. */ name: string }
  | { "kind": "remove",
      /** Path, such as `body.crank`. */ path: string }
  | { "kind": "cut",
      /** Its name. */ joint: string }
  | { "kind": "weld",
      /** Its name. */ joint: string }
  | { "kind": "move-body",
      /** Its name. */ body: string,
      /** World, m. */ at: Triple,
      /** Quaternion x, y, z, w; as it is if not said. */ turn?: Quat | null }
  | { "kind": "duplicate",
      /** Its name. */ body: string,
      /** Where to, from where it is, m. */ by: Triple };

/** What a field is declared to be. */
export type FieldDeclaration = {
  /** Its name. */ name: string,
  /** What it holds. */ type: FieldForm,
  /** Unit of its numbers: `m`, `m or rad`; empty if they have none. */ unit: string,
  /** What it is, in a line. */ help: string,
  /** Must it be said? */ required: boolean,
  /** What holds where nothing is said. */ otherwise?: string | null,
  /** In words: `greater than 0`. */ allowed?: string | null,
  /** Smallest number. */ least?: number | null,
  /** Largest number. */ most?: number | null,
  /** Words to choose from. */ choices?: Array<string> | null,
  /** What a function is one of: `t`. */ variable?: string | null };

/** What a field holds. */
export type FieldForm = "number" | "integer" | "flag" | "text" | "texts" | "choice" | "vector" | "direction" | "rotation" | "numbers" | "vectors" | "intervals" | "point" | "points" | "pairs" | "coordinate" | "coordinates" | "function" | "vector-function" | "file" | "kind" | "kinds" | "record" | "records" | "map";

/** A field and its value. */
export type FieldValue = {
  /** Where it is: `body.crank.density`. */ path: string,
  /** Null where nothing is said: then `otherwise` holds. */ value: JsonValue,
  /** As it is written where that is an expression, else null. Setting the field replaces it. */ expression: JsonValue,
  /** Kind of the table in it. */ kind: string | null,
  /** Fields of the table in it. */ fields: Array<FieldValue>,
  /** Its name. */ name: string,
  /** What it holds. */ type: FieldForm,
  /** Unit of its numbers: `m`, `m or rad`; empty if they have none. */ unit: string,
  /** What it is, in a line. */ help: string,
  /** Must it be said? */ required: boolean,
  /** What holds where nothing is said. */ otherwise?: string | null,
  /** In words: `greater than 0`. */ allowed?: string | null,
  /** Smallest number. */ least?: number | null,
  /** Largest number. */ most?: number | null,
  /** Words to choose from. */ choices?: Array<string> | null,
  /** What a function is one of: `t`. */ variable?: string | null };

/** A body that a camera goes with. */
export type Followed = {
  /** Its number. */ body: number,
  /** Its origin at the start of the scene, m: that is what the camera's place is meant for. */ start: Triple };

/** A kind of force. */
export type ForceEntry = {
  /** How it is drawn between its points. */ glyph: DrawnForce,
  /** Does it act between two points? */ sides: boolean,
  /** Has it an axis? */ axis: boolean,
  /** Its name in scene files. */ kind: string,
  /** Its name for people: `Ball joint`. */ label: string,
  /** What it is, in a line. */ summary: string,
  /** Its fields, without those that are chosen in the view. */ fields: Array<FieldDeclaration> };

/** A force law. */
export type ForcePicture = {
  /** Its name. */ name: string,
  /** `spring`, ... */ kind: string,
  /** How it is drawn. */ glyph: DrawnForce,
  /** What it acts on: body number (-1 is the ground) and point in the body frame. Section `applied` of frames has one
  * entry for each of them, force by force. */ on: Array<[number, Triple]> };

/** Header of a frame. */
export type FrameHeader = {
  /** Ticks since the scene was opened; a reset does not begin them anew. */ tick: number,
  /** Simulated time, s. */ time: number,
  /** Does time run? */ playing: boolean,
  /** Is a moment of the past shown? */ past: boolean,
  /** How the mechanism answers. */ mode: MotionMode,
  /** How time is stepped through. */ method: StepMethod,
  /** Name of the integrator in use. */ integrator: string,
  /** Simulated seconds per second wanted. */ speed: number,
  /** Simulated seconds per second reached. */ real_time: number,
  /** Cost of a tick, microseconds. */ cost_us: number,
  /** Largest gap of a joint, m or rad. */ gap: number,
  /** What was not kept of the promises on residuals, gaps and overlaps since the scene was opened or reset, in words. */ broken: Array<string>,
  /** Kinetic energy, J. */ kinetic: number,
  /** Potential energy, J. */ potential: number,
  /** First and last tick that is recorded. */ recorded: [number, number],
  /** Number of the picture that this frame belongs to. */ revision: number,
  /** Clients connected. */ clients: number,
  /** Why it stopped, if it did. */ stopped: string | null,
  /** What is going on besides: assembling, jogging. */ activity: string | null,
  /** All hands. */ hands: Array<HandNow>,
  /** Watched quantities. */ values: { [key in string]: number | null },
  /** What follows. */ sections: Array<SectionHeader> };

/** Parts of a frame. */
export type FrameSection = "poses" | "shears" | "reactions" | "applied" | "contacts" | "velocities" | "accelerations" | "centre";

/** What can be opened. */
export type GalleryAnswer = {
  /** The scene that the program was started with. */ own: string | null,
  /** The gallery. */ scenes: Array<SceneCard>,
  /** Problems with known answers. */ verification: Array<SceneCard> };

/** What a shape looks like; round ones stand along z. */
export type GeometryPicture =
  | { "kind": "box",
      /** m. */ size: Triple }
  | { "kind": "sphere",
      /** m. */ radius: number }
  | { "kind": "ellipsoid",
      /** m. */ radii: Triple }
  | { "kind": "cylinder",
      /** m. */ radius: number,
      /** m. */ length: number }
  | { "kind": "capsule",
      /** m. */ radius: number,
      /** m. */ length: number }
  | { "kind": "cone",
      /** m. */ radius: number,
      /** m. */ height: number }
  | { "kind": "tube",
      /** m. */ inner: number,
      /** m. */ outer: number,
      /** m. */ length: number }
  | { "kind": "torus",
      /** Of the ring, m. */ radius: number,
      /** Of the tube, m. */ tube: number }
  | { "kind": "mesh",
      /** x y z of each corner, m. */ positions: Array<number>,
      /** Three corners each. */ triangles: Array<number> }
  | { "kind": "point" }
  | { "kind": "plane" };

/** What a hand does. */
export type HandKind = "grab" | "push" | "twist";

/** A hand as it is. */
export type HandNow = {
  /** Whose. */ client: number,
  /** Its number. */ hand: number,
  /** What it does. */ kind: HandKind,
  /** Name of the body. */ body: string,
  /** Where it holds, world, m. */ at: Triple,
  /** Where it pulls to, world, m (for `grab`). */ to: Triple,
  /** What it applies: N, or N m for `twist`; world axes. */ force: Triple,
  /** Most it may apply, N. */ cap: number,
  /** Does it stay when its client leaves? */ pinned: boolean };

/** A kind of joint. */
export type JointEntry = {
  /** Button, list, or neither. */ group: PaletteGroup,
  /** How it is drawn: a sign in its frame, or a line between its two points. */ glyph: DrawnGlyph,
  /** What its coordinates measure, in their order; those of a joint with freedoms of its own choice are in the
  * picture. */ coordinates: Array<CoordinateMeasure>,
  /** Does it join two points? */ sides: boolean,
  /** Where its axis points to begin with; null if it has none. */ axis: AxisPlacement | null,
  /** Are the bodies brought together first, as far as it closes the gap between its points? */ closes: boolean,
  /** Must more be said than its two sides? */ asks: boolean,
  /** What several of them are called, for joints that ends of rods can have. */ ends: string | null,
  /** Its name in scene files. */ kind: string,
  /** Its name for people: `Ball joint`. */ label: string,
  /** What it is, in a line. */ summary: string,
  /** Its fields, without those that are chosen in the view. */ fields: Array<FieldDeclaration> };

/** A joint or drive. */
export type JointPicture = {
  /** Its name. */ name: string,
  /** `revolute`, `spherical`, ... */ kind: string,
  /** Number of its first body; -1 is the ground. */ a: number,
  /** Number of its second body; -1 is the ground. */ b: number,
  /** Frame on the first body: z is the axis where there is one. */ on_a: PlacedFrame,
  /** Frame on the second body. */ on_b: PlacedFrame,
  /** Its place in the structure. */ role: StructureRole,
  /** Are all components of its reaction unique? */ unique: boolean,
  /** Does it hold, and as what? */ condition: ConditionPicture,
  /** Does it move something by itself? */ drive: boolean,
  /** How it is drawn. */ glyph: DrawnGlyph,
  /** Rows. */ rows: number,
  /** Its coordinates, in their order. */ coordinates: Array<CoordinatePicture>,
  /** Is it made by a generator? */ generated: boolean };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

/** A kind as scenes declare it. */
export type KindEntry = {
  /** Its name in scene files. */ kind: string,
  /** Its name for people: `Ball joint`. */ label: string,
  /** What it is, in a line. */ summary: string,
  /** Its fields, without those that are chosen in the view. */ fields: Array<FieldDeclaration> };

/** The energy ledger. All in J; positive works gave energy to the bodies. */
export type LedgerAnswer = {
  /** Kinetic energy now. */ kinetic: number,
  /** Energy of bodies in the field of gravity now, zero at height zero. */ gravity: number,
  /** Stored now in springs and inside elastic bodies. */ elastic: number,
  /** Sum of the three. */ total: number,
  /** Change of the bodies' kinetic, gravitational and stored energy since the start: the sum of all lines, and the
  * error. */ change: number,
  /** What did it. */ lines: Array<LedgerLine>,
  /** What is left: the integrator's own error. */ error: number,
  /** What friction, contacts and damping inside bodies took (not negative); a part of the lines. */ dissipated: number };

/** A line of the ledger. */
export type LedgerLine = {
  /** For people. */ label: string,
  /** `force`, `drive`, `inequality` (limits, friction, ropes), `joints` (all that hold still), `bodies`, `contacts`,
  * `hand`, `projection`, `stepping`, `others`. */ kind: string,
  /** What is meant, such as `joint.crank`, where it is one thing. */ path: string | null,
  /** J. */ work: number };

/** Rows or columns of one body or joint. */
export type MatrixBand = {
  /** `body.NAME` or `joint.NAME`. */ path: string,
  /** First. */ from: number,
  /** How many. */ count: number };

/** How a mechanism answers a hand. */
export type MotionMode = "dynamic" | "quasi-static" | "kinematic";

/** A reaction with components that are not unique, in world axes. */
export type NonUniqueLoad = {
  /** Name of the joint. */ joint: string,
  /** N. */ force: Triple,
  /** N m. */ torque: Triple,
  /** Can the component have no other value? */ force_unique: [boolean, boolean, boolean],
  /** The same of the torque. */ torque_unique: [boolean, boolean, boolean] };

/** Where the palette offers something. */
export type PaletteGroup = "button" | "list" | "hidden";

/** A scene to draw. */
export type Picture = {
  /** Frames that belong to this picture carry the same number. */ revision: number,
  /** Name of the gallery or file. */ name: string,
  /** For people. */ title: string,
  /** For people. */ description: string,
  /** m/s^2. */ gravity: Triple,
  /** How large the mechanism is at its start, m, planes left out: for grids, arrows, glyphs. */ size: number,
  /** Length of a tick, s. */ tick: number,
  /** Shapes by number, each listed once however often it is used. */ geometries: Array<GeometryPicture>,
  /** Bodies in the order of the model. */ bodies: Array<BodyPicture>,
  /** Bodies (by number) that shear and stretch: see section `shears` of frames. */ deforming: Array<number>,
  /** Shapes that do not move. */ ground: Array<ShapePicture>,
  /** Named points of the ground. */ ground_points: Array<PointPicture>,
  /** Joints in the order of the model; hands are not among them. */ joints: Array<JointPicture>,
  /** Force laws. */ forces: Array<ForcePicture>,
  /** Views that the scene recommends. */ cameras: Array<CameraPicture>,
  /** Has the scene contacts? */ contacts: boolean,
  /** Is there a change to undo? */ can_undo: boolean,
  /** Is there a change to make again? */ can_redo: boolean,
  /** What is not shown as it is; for people. */ notes: Array<string> };

/** A body with one shape that can be drawn by hand. */
export type Piece = {
  /** Its name, which is that of its icon. */ name: string,
  /** For people. */ label: string,
  /** What it is, in a line. */ help: string,
  /** Button or list. */ group: PaletteGroup,
  /** Kind of the body; rigid if null. */ body: string | null,
  /** Kind of its shape. */ shape: string,
  /** Sizes to begin with, m, for a view about 1.5 m high. */ sizes: { [key in string]: PieceSize },
  /** Does it lie between two points? */ between: boolean,
  /** Does its z axis point along the normal of the working plane? */ faces_plane: boolean };

/** A length of a shape, or three of them. */
export type PieceSize = number | Triple;

/** A frame in another. */
export type PlacedFrame = {
  /** Origin, m. */ at: Triple,
  /** Quaternion x, y, z, w. */ turn: Quat };

/** A named point. */
export type PointPicture = {
  /** Its name. */ name: string,
  /** Body frame, m. */ at: Triple };

/** A quantity. */
export type QuantityAnswer = {
  /** Its name, such as `crank.pos.x`. */ name: string,
  /** Its unit, such as `m`. */ unit: string,
  /** What a reader should know; mostly empty. */ note?: string };

/** Questions. */
export type Question =
  | { "about": "gallery" }
  | { "about": "doctor" }
  | { "about": "quantities" }
  | { "about": "ledger" }
  | { "about": "spy",
      /** J, H, A or L. */ matrix: string }
  | { "about": "backlog",
      /** Their names. */ names: Array<string> }
  | { "about": "scene" }
  | { "about": "details",
      /** Path, such as `body.crank`. */ path: string };

/** Rows that hold the same thing more than once. */
export type RedundantRows = {
  /** All of them. */ rows: Array<DoctorRow>,
  /** Those that could be left out: one choice of several. */ dropped: Array<DoctorRow> };

/** A message to a client, besides frames. */
export type Reply =
  | { "say": "welcome",
      /** The client's own number. */ client: number,
      /** Version of the program. */ version: string }
  | { "say": "catalogue" } & BuildCatalogue
  | { "say": "picture" } & Picture
  | { "say": "answer",
      /** Number of the question. */ id: number,
      /** The answer. */ answer: Answer }
  | { "say": "error",
      /** Number of the question, if it was one. */ id?: number | null,
      /** One sentence that stands alone. */ message: string,
      /** More: the rendered report, with lines. */ details?: string | null }
  | { "say": "note",
      /** One sentence. */ message: string }
  | { "say": "warning",
      /** One sentence. */ message: string,
      /** The rendered report, with lines. */ details: string }
  | { "say": "made",
      /** Its name. */ name: string }
  | { "say": "pong",
      /** Its number. */ id: number };

/** A request of a client. */
export type Request =
  | { "do": "open",
      /** Its name. */ scene: string }
  | { "do": "open-text",
      /** File name. */ name: string,
      /** The text. */ text: string }
  | { "do": "new" }
  | { "do": "play" }
  | { "do": "pause" }
  | { "do": "step",
      /** Number of ticks. */ ticks: number }
  | { "do": "speed",
      /** Factor. */ factor: number }
  | { "do": "reset" }
  | { "do": "seek",
      /** Tick. */ tick: number }
  | { "do": "method",
      /** Which way. */ method: StepMethod }
  | { "do": "grab",
      /** Number of the hand, chosen by the client. */ hand: number,
      /** Name of the body. */ body: string,
      /** Point, body frame, m. */ point: Triple,
      /** Most force, N. */ cap: number }
  | { "do": "move",
      /** Number of the hand, chosen by the client. */ hand: number,
      /** World, m. */ to: Triple }
  | { "do": "cap",
      /** Number of the hand, chosen by the client. */ hand: number,
      /** N. */ cap: number }
  | { "do": "pin",
      /** Number of the hand, chosen by the client. */ hand: number }
  | { "do": "push",
      /** Number of the hand, chosen by the client. */ hand: number,
      /** Name of the body. */ body: string,
      /** Point, body frame, m. */ point: Triple,
      /** N, world axes. */ force: Triple }
  | { "do": "twist",
      /** Number of the hand, chosen by the client. */ hand: number,
      /** Name of the body. */ body: string,
      /** N m, world axes. */ torque: Triple }
  | { "do": "release",
      /** Number of the hand, chosen by the client. */ hand: number,
      /** Whose hand; one's own where not said. Only pinned hands of others can be released. */ client?: number | null }
  | { "do": "release-all" }
  | { "do": "mode",
      /** Which way. */ mode: MotionMode }
  | { "do": "jog",
      /** Name of the body. */ body: string,
      /** Point, body frame, m. */ point: Triple,
      /** m/s, world axes. */ velocity: Triple }
  | { "do": "drive",
      /** Its name. */ joint: string,
      /** On? */ on: boolean }
  | { "do": "show",
      /** Which. */ sections: Array<FrameSection> }
  | { "do": "watch",
      /** Their names, at most 64. */ names: Array<string> }
  | { "do": "ask",
      /** Number chosen by the client. */ id: number,
      /** What. */ question: Question }
  | { "do": "take-back",
      /** Its number. */ id: number }
  | { "do": "ping",
      /** Number chosen by the client. */ id: number }
  | { "do": "edit",
      /** How. */ edit: Edit }
  | { "do": "undo" }
  | { "do": "redo" };

/** A scene as text. */
export type SceneAnswer = {
  /** Its name. */ name: string,
  /** Its text. */ text: string };

/** A scene. */
export type SceneCard = {
  /** Its name. */ name: string,
  /** What it belongs to. */ group: string,
  /** For people. */ title: string,
  /** For people. */ description: string,
  /** Bodies. */ bodies: number,
  /** Joints and drives. */ joints: number,
  /** Do joints close loops? */ loops: boolean,
  /** Lines, each as x y x y ..., m, y up. */ sketch: Array<Array<number>> };

/** A section of a frame. */
export type SectionHeader = {
  /** Which. */ name: FrameSection,
  /** How many. */ count: number,
  /** Numbers each. */ width: number };

/** One sentence, or two that belong together. */
export type Sentence = {
  /** What is said. */ text: string,
  /** How it is meant. */ level: SentenceLevel,
  /** What it speaks of: `joint.A`, `body.crank`. At most 500. */ paths: Array<string> };

/** How a sentence is meant. */
export type SentenceLevel = "good" | "note" | "warn";

/** A shape on a body. */
export type ShapePicture = {
  /** Number of its geometry. */ geometry: number,
  /** Where it stands on the body. */ pose: PlacedFrame,
  /** Red, green, blue, 0 to 1. */ colour: Triple | null };

/** A pattern. */
export type SpyAnswer = {
  /** J, H, A or L. */ matrix: string,
  /** Rows. */ rows: number,
  /** Columns. */ columns: number,
  /** Bodies and joints down the rows, in order. */ row_bands: Array<MatrixBand>,
  /** Bodies and joints along the columns, in order. */ column_bands: Array<MatrixBand>,
  /** First row, first column, rows, columns, and 1 where elimination made it. Of L those on the diagonal are lower
  * triangles. */ blocks: Array<[number, number, number, number, number]>,
  /** Entries: of L those in the lower triangle. */ entries: number,
  /** Of these, made by elimination. */ fill: number };

/** How time is stepped through. */
export type StepMethod = "auto" | "accurate" | "real-time";

/** What a joint is in the structure of the mechanism. */
export type StructureRole = "primary" | "loop" | "redundant" | "inequality";

/** How a joint is drawn: a sign in its frame, or a line between its two points. */
export type DrawnGlyph = "hinge" | "ball" | "slider" | "sleeve" | "screw" | "cross" | "cross-in-ring" | "block" | "plate" | "ball-on-plate" | "slot" | "ball-on-bar" | "ball-in-ring" | "parallel-bars" | "crossed-bars" | "blade" | "arrow" | "stops" | "cone" | "pads" | "diamond" | "rod" | "rope" | "tackle" | "drum" | "wheels" | "dashes";

/** How a force is drawn between its points. */
export type DrawnForce = "spring" | "dashes";

/** What each question is answered with. */
export interface Answers {
  gallery: GalleryAnswer;
  doctor: DoctorAnswer;
  quantities: Array<QuantityAnswer>;
  ledger: LedgerAnswer;
  spy: SpyAnswer;
  backlog: BacklogAnswer;
  scene: SceneAnswer;
  details: DetailsAnswer;
}
