/// Address of an MQTT broker: `mqtt://user@host:port`, or `mqtts://…` with TLS.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection uses TLS. The broker must then present a certificate for ``host``.
    public var isEncrypted: Bool
    public var user: String?
    /// A name, an IPv4 address or an IPv6 address without brackets.
    public var host: String
    public var port: Int

    /// Returns nil for any other form. Passwords are rejected, because settings are displayed.
    public init?(_ text: String) {
        let schemes = [("mqtts://", true, 8883), ("mqtt://", false, 1883)]
        guard let (scheme, isEncrypted, usualPort) = schemes.first(where: { text.hasPrefix($0.0) })
        else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        if let at = rest.lastIndex(of: "@") {
            let name = String(rest[..<at])
            guard !name.isEmpty, !name.contains(":") else { return nil }
            user = name
            rest = rest[rest.index(after: at)...]
        }
        var portText: Substring?
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = String(rest[..<end].dropFirst())
            let behind = rest[end...].dropFirst()
            guard behind.isEmpty || behind.hasPrefix(":") else { return nil }
            portText = behind.isEmpty ? nil : behind.dropFirst()
        } else {
            let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { return nil }
            host = String(parts[0])
            portText = parts.count == 2 ? parts[1] : nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else {
            return nil
        }
        let port = portText.map { Int($0) } ?? usualPort
        guard let port, (1...65_535).contains(port) else { return nil }
        self.port = port
        self.isEncrypted = isEncrypted
    }

    /// Whether the host is an IP address, which needs no name resolution.
    public var isNumeric: Bool {
        host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    }

    public var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return (isEncrypted ? "mqtts://" : "mqtt://") + (user.map { $0 + "@" } ?? "")
            + "\(name):\(port)"
    }
}
