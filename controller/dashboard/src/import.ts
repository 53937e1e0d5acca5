// What an import is of. Pure.
import type { ImportView } from "./gen/shakedown/v1/import_pb";

// All kernels that its values are of.
export function kernelsOf({ kernel, variants }: Pick<ImportView, "kernel" | "variants">): string[] {
  return kernel !== "" ? [kernel] : [...new Set(Object.values(variants))];
}
