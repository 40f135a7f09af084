/** Which addresses of the network belong to the public internet. */
import { BlockList, isIP } from "node:net"

const special = new BlockList()

for (const [address, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // shared by customers of a provider; also metadata of a cloud
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // the host of a virtual machine of Azure
  ["169.254.0.0", 16], // link-local; metadata of clouds
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4]
] as const) {
  special.addSubnet(address, prefix, "ipv4")
}

/** Of IPv6, only this is in use for the public internet: not loopback, private, link-local, multicast and mapped addresses. */
const global = new BlockList()
global.addSubnet("2000::", 3, "ipv6")

for (const [address, prefix] of [
  ["2001::", 23], // among them Teredo, which hides an address of IPv4
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4, which contains an address of IPv4
  ["3fff::", 20]
] as const) {
  special.addSubnet(address, prefix, "ipv6")
}

/** Whether an address, in the form in which it is resolved, is public. */
export const isPublic = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4")
    case 6:
      return !address.includes("%") && global.check(address, "ipv6") && !special.check(address, "ipv6")
    default:
      return false
  }
}

/** The address that the host of a URL is. Undefined for a name. */
export const literalOf = ({ hostname }: URL): string | undefined => {
  const host = hostname.replace(/^\[|\]$/g, "")
  return isIP(host) === 0 ? undefined : host
}

/** A host that may be used although it is not public, with or without its port. */
export interface Allowed {
  readonly host: string
  readonly port: string | undefined
}

/** Reads `wiki.example:8080` and the like. Undefined for anything else. */
export const allowedOf = (text: string): Allowed | undefined => {
  const [, name = "", port] = /^(\[[^\]]+\]|[^:/@?#\s]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  try {
    const { hostname } = new URL(`http://${name}/`)
    return hostname === "" ? undefined : { host: hostname, port }
  } catch {
    return undefined
  }
}

export const isAllowed = (allowed: ReadonlyArray<Allowed>, { hostname, port, protocol }: URL): boolean => {
  const used = port === "" ? (protocol === "https:" ? "443" : "80") : port
  return allowed.some((one) => one.host === hostname && (one.port === undefined || one.port === used))
}
