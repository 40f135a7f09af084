/** The server that errors are about. */
export const endpoint = {
  provider: "house",
  model: "m",
  host: "model.test",
  secrets: [],
  keyName: "KEY",
  addressEnd: "in /v1"
}
