export * as Telemetry from "./Telemetry.ts"
