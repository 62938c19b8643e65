/**
 * The content-addressed store as a library: `createStore(deps)` and what it takes and gives.
 *
 * It knows no terminal, no home folder and no environment; its ports are passed in.
 */
export { createStore } from "./create-store.ts";
export type { FileSystem } from "./file-system.ts";
export type {
  Admission,
  AdmissionControl,
  AdmissionHolder,
  LaunchPin,
  LaunchPinRequest,
  LaunchPins,
} from "./launch-admission.ts";
export { createNodeFileSystem } from "./node-file-system.ts";
export type { NewScope, ScopeRecord, ScopeRecords } from "./scope-records.ts";
export type {
  ActivateRequest,
  ActivateResult,
  Activation,
  CollectRequest,
  CollectResult,
  Component,
  ComponentChange,
  Damage,
  ExportResult,
  ExportTarget,
  FileChange,
  GenerationDetails,
  GenerationDiff,
  GenerationSummary,
  ImportRequest,
  Pin,
  PinKind,
  PinRequest,
  RepairRequest,
  RepairResult,
  RollbackRequest,
  StageProgress,
  StageRequest,
  StageResult,
  Store,
  StoreInfo,
  TreeFile,
  VerifyRequest,
  VerifyResult,
  WhyAlive,
} from "./store.ts";
export type { StoreDeps } from "./store-context.ts";
