/**
 * A circuit breaker stops runs of a step, or calls of a provider, for a while after too many failures in a row.
 *
 * Give it to steps (`Step.circuitBreaker`) or to provider layers (`Provider.circuitBreaker`).
 */
export {
  type CircuitBreaker,
  CircuitOpen,
  type CircuitOptions as Options,
  type CircuitState as State,
  make
} from "./limits/CircuitBreaker.ts"
